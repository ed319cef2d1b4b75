import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import { type Server, server } from "../composables/server";
import { actionWindows } from "./windows";

let api: Server;
const { openPage, openWindow, close } = actionWindows();

const entry = (media_id: string) => ({ media_id, title: `Title of ${media_id}` }) as Entry;
const starred = (value: boolean) => ({ field: "starred" as const, value });
const times = () => api.changes().map(({ body }) => Date.parse((body as { client_time: string }).client_time));
const lastTime = () => times().at(-1) ?? 0;

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function serverClock() {
  vi.resetModules();
  return import("../../src/api/server-clock");
}
const told = (time: number) => new Date(time).toISOString();
const NOON = Date.parse("2026-01-01T12:00:00Z");

test("a response that comes late does not set the server's clock back", async () => {
  const { noteServerTime, serverTime } = await serverClock();
  noteServerTime(told(NOON + 5000), NOON, NOON + 20);
  expect(Math.abs(serverTime(NOON) - NOON - 5000)).toBeLessThan(25);
  noteServerTime(told(NOON + 6000), NOON + 900, NOON + 9000); // 8 s on its way
  expect(Math.abs(serverTime(NOON) - NOON - 5000)).toBeLessThan(25);
});

test("a clock that was set is followed", async () => {
  const { noteServerTime, serverTime, latestServerTime } = await serverClock();
  noteServerTime(told(NOON + 3_600_000), NOON, NOON + 20);
  noteServerTime(told(NOON), NOON, NOON + 20);
  expect(Math.abs(serverTime(NOON) - NOON)).toBeLessThan(25);
  expect(latestServerTime()).toBe(NOON);
});

test("what took minutes says nothing about the clock", async () => {
  const { noteServerTime, serverTime, latestServerTime } = await serverClock();
  noteServerTime(told(NOON + 600_000), NOON, NOON + 500_000); // a device that slept meanwhile
  expect([serverTime(NOON), latestServerTime()]).toEqual([NOON, 0]);
});

/** Stars on a server that is ahead, whose clock this device then takes for less so. */
async function starThenMisjudge() {
  api.aheadMs = 1900;
  const queue = await openPage();
  queue.add(entry("m1"), starred(true));
  await queue.finish();
  const handledBy = Date.now() + api.aheadMs;
  api.aheadMs = 0;
  api.isDown = true;
  return { queue, handledBy };
}

test("what is decided later is dated later than what the server did before, whatever its clock seems to be", async () => {
  const { queue, handledBy } = await starThenMisjudge();
  queue.add(entry("m1"), starred(false));
  await queue.finish();
  api.isDown = false;
  await (await openPage()).finish();
  expect(lastTime()).toBeGreaterThanOrEqual(handledBy - 20);
});

test("and so it is in another window, that did not see the response", async () => {
  const other = await openWindow();
  const { handledBy } = await starThenMisjudge();
  other.add(entry("m1"), starred(false));
  await other.finish();
  api.isDown = false;
  await (await openPage()).finish();
  expect(lastTime()).toBeGreaterThanOrEqual(handledBy - 20);
});

test("decisions of one entry keep their order while the server's clock is taken for another", async () => {
  api.isDown = true;
  const queue = await openPage();
  queue.add(entry("m1"), starred(true));
  queue.add(entry("m1"), { field: "archived", value: true });
  queue.add(entry("m2"), starred(true));
  await queue.finish();
  api.isDown = false;
  api.aheadMs = 3_600_000;
  api.handled = () => {
    api.aheadMs = 0;
  };
  await queue.finish();
  const [first = 0, second, other] = times();
  expect(second).toBeGreaterThan(first);
  expect(other).toBeLessThanOrEqual(Date.now()); // has nothing to do with these
});

test("what was decided without a connection keeps its own time, whatever was sent of other entries since", async () => {
  api.isDown = true;
  const queue = await openPage();
  const at = queue.add(entry("m1"), starred(true));
  await queue.finish();
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
  api.isDown = false;
  api.fails = (path) => path.endsWith("/m1");
  for (let round = 0; round < 3; round += 1) await queue.finish();
  queue.add(entry("m2"), starred(true));
  await queue.finish();
  expect(api.changes()).toHaveLength(1);
  api.fails = () => false;
  await queue.finish();
  expect(Math.abs(lastTime() - Date.parse(at))).toBeLessThan(1000);
});
