import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { mount } from "./mount";
import { ADA, server } from "./server";

const PLACES = `nexus.places.${ADA}`;
const LISTENING = `nexus.listening.${ADA}`;
const SETTLED_MS = 400;
let unmount = () => {};

function elementAt(box: { top: number; height: number }): HTMLElement {
  const element = document.createElement("article");
  element.getBoundingClientRect = () => box as DOMRect;
  return element;
}

const stored = (key: string) => JSON.parse(localStorage.getItem(key) ?? "{}");
/** With the wheel, as a reader does. */
function scroll(): void {
  window.dispatchEvent(new Event("wheel"));
  window.dispatchEvent(new Event("scroll"));
}

async function openReader(box: { top: number; height: number }, isPositionStored = true) {
  vi.resetModules();
  const { useScrollProgress } = await import("../../src/composables/useScrollProgress");
  const { useProgress } = await import("../../src/composables/useProgress");
  const mounted = mount(() => ({
    ...useProgress(),
    ...useScrollProgress(ref(elementAt(box)), "m1", () => isPositionStored),
  }));
  unmount = mounted.unmount;
  await vi.waitFor(() => expect(mounted.result.user.value).toBe(ADA));
  await nextTick();
  return mounted.result;
}

async function openPlayer() {
  vi.resetModules();
  const { setDeviceUser } = await import("../../src/device/user");
  const { audioPositions } = await import("../../src/player/audio-positions");
  setDeviceUser(ADA);
  const remember = (second: number, duration: number) => audioPositions.remember("m1", second, duration, false);
  return { position: () => audioPositions.of("m1"), remember, adopt: audioPositions.adopt };
}

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  ); // jsdom has no layout
  server();
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("how far a text was scrolled is stored once the scrolling has settled", async () => {
  const box = { top: 0, height: window.innerHeight * 4 };
  const { share, progressOf } = await openReader(box);
  vi.useFakeTimers();
  scroll();
  box.top = -window.innerHeight;
  scroll();
  expect([share.value, stored(PLACES)]).toEqual([0.5, {}]);
  vi.advanceTimersByTime(SETTLED_MS);
  expect([progressOf("m1"), stored(PLACES).m1.share]).toEqual([0.5, 0.5]);
});

test("a place in a text has the server's time: it is compared with those of other devices", async () => {
  const { remember, positionOf, ownTimeOf } = await openReader({ top: 0, height: 4000 });
  const { noteServerTime } = await import("../../src/api/server-clock");
  const now = Date.now();
  noteServerTime(new Date(now + 600_000).toUTCString(), now, now);
  remember("m1", 0.5);
  expect(ownTimeOf("m1") - now).toBeGreaterThan(590_000);
  expect(positionOf("m1")?.at).toBe(ownTimeOf("m1"));
});

test("how far an earlier version was scrolled is not stored", async () => {
  const { share } = await openReader({ top: 0, height: window.innerHeight * 4 }, false);
  vi.useFakeTimers();
  scroll();
  vi.advanceTimersByTime(SETTLED_MS);
  unmount();
  unmount = () => {};
  expect([share.value, stored(PLACES)]).toEqual([0.25, {}]);
});

test("leaving the text stores how far it was scrolled at once", async () => {
  await openReader({ top: 0, height: window.innerHeight * 4 });
  scroll();
  unmount();
  unmount = () => {};
  expect(stored(PLACES).m1.share).toBe(0.25);
});

test("what moved without the reader is not stored", async () => {
  const { share } = await openReader({ top: 0, height: window.innerHeight * 4 });
  window.dispatchEvent(new Event("scroll"));
  unmount();
  unmount = () => {};
  expect([share.value, stored(PLACES)]).toEqual([0.25, {}]);
});

test("a text resumes with the stored share at the lower edge of the window", async () => {
  localStorage.setItem(PLACES, JSON.stringify({ m1: { share: 0.5, at: 1 } }));
  const scrollTo = vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  const { start, resume } = await openReader({ top: 100, height: 4000 });
  expect(start.value).toBe(0.5);
  resume();
  expect(scrollTo).toHaveBeenCalledWith({ top: 100 + 2000 - window.innerHeight });
});

test("who has gone back to the beginning can still continue where they were", async () => {
  localStorage.setItem(PLACES, JSON.stringify({ m1: { share: 0.5, at: 1 } }));
  const scrollTo = vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  const { resume } = await openReader({ top: 0, height: 4 * window.innerHeight });
  vi.useFakeTimers();
  scroll();
  vi.advanceTimersByTime(SETTLED_MS);
  expect(stored(PLACES).m1.share).toBe(0.25);
  resume();
  expect(scrollTo).toHaveBeenLastCalledWith({ top: window.innerHeight });
});

test("a text that fits into the window has been read without scrolling", async () => {
  const box = { top: 0, height: window.innerHeight * 2 };
  const { share, checkIfFits } = await openReader(box);
  checkIfFits();
  expect(share.value).toBe(0);
  box.height = window.innerHeight / 2;
  checkIfFits();
  expect(share.value).toBe(1);
});

test("an episode is stored with whole seconds, and begins anew after its end", async () => {
  const { position, remember } = await openPlayer();
  remember(61.9, 1000);
  expect(position()).toMatchObject({ second: 61, duration: 1000 });
  remember(989, 1000);
  expect(position()?.second).toBe(989);
  remember(990, 1000);
  expect([position()?.second, stored(LISTENING).m1.second]).toEqual([0, 0]);
});

test("the end of a short episode is shorter than ten seconds", async () => {
  const { position, remember } = await openPlayer();
  remember(97, 100);
  expect(position()?.second).toBe(97);
  remember(98, 100);
  expect(position()?.second).toBe(0);
});

test("where another device stopped later counts, and where it stopped earlier does not", async () => {
  const { position, remember, adopt } = await openPlayer();
  remember(61, 1000);
  const held = (audio_ms: number, seconds: number) => {
    const audio_time = new Date(Date.now() + seconds * 1000).toISOString();
    return { media_id: "m1", audio_ms, audio_time } as Parameters<typeof adopt>[0];
  };
  expect(adopt(held(90_000, -60))).toBe(false);
  expect(position()?.second).toBe(61);
  expect(adopt(held(120_500, 60))).toBe(true);
  expect(position()).toMatchObject({ second: 120, duration: 1000 });
  expect(adopt(held(120_500, 61))).toBe(false); // nothing new
});

test("the server's time of a place of ours replaces our own, which may be ahead", async () => {
  const { position, remember, adopt } = await openPlayer();
  remember(61, 1000);
  const at = Date.now() - 3_600_000;
  const held = (audio_ms: number, time: number) =>
    ({ media_id: "m1", audio_ms, audio_time: new Date(time).toISOString() }) as Parameters<typeof adopt>[0];
  expect(adopt(held(61_000, at))).toBe(false);
  expect(position()).toMatchObject({ second: 61, duration: 1000, at });
  expect(adopt(held(90_000, at + 1000))).toBe(true); // another device, later by the server's clock
});
