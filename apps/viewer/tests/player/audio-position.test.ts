import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADA, type Server, server } from "../composables/server";
import { EPISODE } from "./episode";

const PATH = "/api/library/m1/position";
const LISTENING = `nexus.listening.${ADA}`;
const hourAgo = () => Date.now() - 3_600_000;
let backend: Server;

/** What the server has of another device. */
function held(second: number, at: number) {
  return { media_id: "m1", audio_ms: second * 1000, audio_time: new Date(at).toISOString() };
}

const waiting = () => Object.keys(localStorage).filter((key) => key.startsWith("nexus.position-queue"));

/** An episode that was heard here, to its 61st second. */
async function openPlayer(track = EPISODE) {
  vi.resetModules();
  localStorage.setItem(LISTENING, JSON.stringify({ m1: { second: 61, duration: 1000, at: hourAgo() } }));
  const { setDeviceUser } = await import("../../src/device/user");
  const { positionQueue } = await import("../../src/positions/position-queue");
  const { usePlayer } = await import("../../src/player/usePlayer");
  const { audioElement } = await import("../../src/player/audio-engine");
  setDeviceUser(ADA);
  positionQueue.setUser(ADA);
  const player = usePlayer();
  player.load(track);
  const tell = (name: string) => audioElement.dispatchEvent(new Event(name));
  const hear = (second: number) => {
    audioElement.currentTime = second;
    tell("timeupdate");
  };
  return { player, tell, hear };
}

const leave = () => window.dispatchEvent(new Event("pagehide"));

beforeEach(() => {
  localStorage.clear();
  backend = server();
  backend.get = () => held(61, hourAgo());
  for (const name of ["pause", "load"] as const)
    vi.spyOn(HTMLMediaElement.prototype, name).mockImplementation(() => {});
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a player that was not touched since says nothing of where it is when it is left", async () => {
  const { player, tell, hear } = await openPlayer();
  player.play();
  tell("play");
  hear(63);
  tell("pause");
  expect(waiting()).toHaveLength(1);
  localStorage.removeItem(waiting()[0] as string); // it was sent
  leave();
  player.close();
  expect(waiting()).toEqual([]);
});

test("what is only kept here is told when the page is left", async () => {
  const { player, tell, hear } = await openPlayer();
  player.play();
  tell("play");
  hear(70); // the first is told, the next ones only after a while
  localStorage.removeItem(waiting()[0] as string);
  hear(76);
  expect(waiting()).toEqual([]);
  leave();
  expect(waiting()).toHaveLength(1);
});

test("it goes on where another device was since, and keeps that", async () => {
  const { player, tell } = await openPlayer();
  backend.get = () => held(500, Date.now() - 1000);
  player.play();
  tell("play");
  await vi.waitFor(() => expect(player.at.value).toBe(500));
  leave();
  expect(waiting()).toEqual([]);
});

test("after the connection was lost it shows where another device was, unless it plays itself", async () => {
  const { player, tell } = await openPlayer();
  backend.get = () => held(500, Date.now() - 1000);
  await player.catchUp();
  expect([player.at.value, player.isPlaying.value]).toEqual([500, false]);
  tell("play");
  backend.get = () => held(700, Date.now() - 500);
  await player.catchUp();
  expect(player.at.value).toBe(500);
});

test("where the user goes counts, also when that is the second it is at", async () => {
  const { player } = await openPlayer();
  backend.get = () => held(500, Date.now() - 1000);
  player.seek(61);
  expect(waiting()).toHaveLength(1);
  await player.catchUp();
  expect(player.at.value).toBe(61);
});

test("a search result that was opened begins there, wherever another device is", async () => {
  const { player, tell } = await openPlayer({ ...EPISODE, start: 42 });
  backend.get = () => held(500, Date.now() - 1000);
  player.adopt(backend.get(PATH, new URLSearchParams()) as Parameters<typeof player.adopt>[0]);
  player.play();
  tell("play");
  await player.catchUp();
  expect(player.at.value).toBe(42);
  expect(backend.requests.filter(({ path }) => path === PATH)).toEqual([]);
});

test("many removals cost one request, and the one of this episode closes the player", async () => {
  vi.useFakeTimers();
  const { player } = await openPlayer();
  for (let count = 0; count < 1000; count += 1) player.check();
  backend.isMissing = (path) => path === "/media/m1";
  await vi.advanceTimersByTimeAsync(1000);
  expect(backend.requests.filter(({ path }) => path === "/media/m1")).toHaveLength(1);
  expect(player.track.value).toBeNull();
  vi.useRealTimers();
});

test("without a connection it plays where it was here", async () => {
  const { player } = await openPlayer();
  backend.isDown = true;
  await player.catchUp();
  expect(player.at.value).toBe(61);
});
