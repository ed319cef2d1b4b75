import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADA, BEN, type Server, server } from "../composables/server";
import { leftInStorage, windows } from "../device/windows";

const BATCH_MS = 2000;
const LOCK_MS = 500; // the lock between windows, where browsers have none of their own
let api: Server;
const { openPage, close } = windows(async () => (await import("../../src/positions/position-queue")).positionQueue);

const place = (offset: number) => ({ version: 1, fragment_idx: 0, offset, fraction: 0.5 });
const sent = () => api.changes().map(({ path, body }) => [path.split("/")[3], body]);

beforeEach(() => {
  localStorage.clear();
  api = server();
  vi.useFakeTimers();
});
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("places that follow each other are sent as the last of them", async () => {
  const queue = await openPage();
  for (const offset of [1, 2, 3]) queue.add("m1", "text", place(offset), Date.parse("2026-01-01T00:00:00Z") + offset);
  queue.add("m1", "audio", { audio_ms: 5000 }, Date.parse("2026-01-01T00:00:01Z"));
  expect(sent()).toEqual([]);
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  expect(sent()).toEqual([
    ["m1", { ...place(3), client_time: "2026-01-01T00:00:00.003Z", device: null }],
    ["m1", { audio_ms: 5000, client_time: "2026-01-01T00:00:01.000Z", device: null }],
  ]);
  expect(leftInStorage()).toEqual([]);
});

test("without a connection they survive the page, and are sent for their user only", async () => {
  api.isDown = true;
  (await openPage()).add("m1", "text", place(7), 1);
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  api.isDown = false;
  api.user = BEN;
  await openPage(BEN);
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  expect(sent()).toEqual([]);
  api.user = ADA;
  await openPage();
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  expect(sent().map(([media]) => media)).toEqual(["m1"]);
});

test("what an earlier version has stored, with a number as its time, is sent", async () => {
  localStorage.setItem(`nexus.position-queue.${ADA}.m1.text`, JSON.stringify({ position: place(7), at: 1000 }));
  await openPage();
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  expect(sent()).toEqual([["m1", { ...place(7), client_time: "1970-01-01T00:00:01.000Z", device: null }]]);
  expect(leftInStorage()).toEqual([]);
});

test("what waits for the server's time is sent for its own user, whoever signs in meanwhile", async () => {
  const queue = await openPage();
  queue.add("m1", "text", place(7), 1);
  vi.advanceTimersByTime(BATCH_MS);
  api.user = BEN;
  api.get = () => queue.setUser(BEN);
  await vi.advanceTimersByTimeAsync(LOCK_MS);
  expect(api.requests.map(({ method }) => method)).toEqual(["GET", "PUT"]);
  expect(sent()).toEqual([]);
});

test.each([-600_000, 600_000])("they have the server's time, though it is %d ms off", async (ahead) => {
  api.aheadMs = ahead;
  const at = Date.now();
  (await openPage()).add("m1", "text", place(7), at);
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  const [told] = sent().map(([, body]) => Date.parse((body as { client_time: string }).client_time));
  expect(Math.abs((told ?? 0) - at - ahead)).toBeLessThan(2000);
});

test("where one is next is later for the server, too, when its clock is taken for another meanwhile", async () => {
  api.aheadMs = 600_000;
  const queue = await openPage();
  queue.add("m1", "text", place(0), Date.now());
  await vi.advanceTimersByTimeAsync(60_000);
  queue.add("m1", "text", place(1), Date.now());
  api.handled = () => {
    api.aheadMs = 0;
    api.handled = () => {};
    queue.add("m1", "text", place(2), Date.now());
  };
  await vi.advanceTimersByTimeAsync(2 * (BATCH_MS + LOCK_MS));
  const [, first, second] = sent().map(([, body]) => Date.parse((body as { client_time: string }).client_time));
  expect(second ?? 0).toBeGreaterThan(first ?? 0);
});

test("one that the server fails at keeps no others waiting, and is sent again", async () => {
  api.fails = (path) => path.includes("/m1/");
  const queue = await openPage();
  queue.add("m1", "text", place(1), 1);
  queue.add("m2", "text", place(2), 2);
  await vi.advanceTimersByTimeAsync(BATCH_MS + LOCK_MS);
  expect(sent().map(([media]) => media)).toEqual(["m2"]);
  api.fails = () => false;
  queue.send();
  await vi.advanceTimersByTimeAsync(LOCK_MS);
  expect(sent().map(([media]) => media)).toEqual(["m2", "m1"]);
});

test("a page that is put away sends at once, and what the server refuses is not sent again", async () => {
  const queue = await openPage();
  api.refuse = () => true;
  queue.add("m1", "text", place(7), 1);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(LOCK_MS);
  expect(api.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
  expect(leftInStorage()).toEqual([]);
});
