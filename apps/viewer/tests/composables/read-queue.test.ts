import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import { ADA, BEN, type Server, server } from "./server";

let api: Server;
let stop = () => {};

/** The page anew, as after a reload: nothing in memory, what is stored stays. */
async function openPage(user = ADA) {
  stop();
  stop = () => {};
  return openWindow(user);
}

/** A window beside those that are open. */
async function openWindow(user = ADA) {
  vi.resetModules();
  const { readQueue } = await import("../../src/device/read-queue");
  readQueue.setUser(user);
  const [stopOthers, stopThis] = [stop, readQueue.start()];
  stop = () => {
    stopOthers();
    stopThis();
  };
  return readQueue;
}

const sent = () => api.changes().map(({ method, path }) => `${method} ${path.split("/")[3]}`);
const entry = (media_id: string) => ({ media_id, read_at: null }) as Entry;

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  stop();
  stop = () => {};
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("marks made without a connection survive the page and are sent in order", async () => {
  api.isDown = true;
  vi.useFakeTimers();
  const before = await openPage();
  for (const mediaId of ["m2", "m1", "m3"]) {
    before.add(mediaId, true);
    await vi.advanceTimersByTimeAsync(5);
  }
  const after = await openPage();
  expect(after.over(entry("m1")).read_at).not.toBeNull();
  expect(await after.readAt("m3")).not.toBeNull();
  api.isDown = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(sent()).toEqual(["PUT m2", "PUT m1", "PUT m3"]);
  expect(after.has("m1")).toBe(false);
  expect(Object.keys(localStorage)).toEqual([]);
});

test("of two marks of one text the later counts", async () => {
  api.isDown = true;
  const queue = await openPage();
  queue.add("m1", true);
  queue.add("m1", false);
  expect(queue.over({ ...entry("m1"), read_at: "2026-01-01" }).read_at).toBeNull();
  api.isDown = false;
  queue.send();
  await vi.waitFor(() => expect(sent()).toEqual(["DELETE m1"]));
});

test("a mark that is reverted while it is being sent is sent, too", async () => {
  const queue = await openPage();
  let respond = () => {};
  api.holdUntil = new Promise((resolve) => {
    respond = resolve;
  });
  queue.add("m1", true);
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m1"]));
  queue.add("m1", false);
  respond();
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m1", "DELETE m1"]));
  await vi.waitFor(() => expect(queue.has("m1")).toBe(false));
});

test("a refused mark is reported and not retried", async () => {
  api.refuse = () => true;
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  queue.add("gone", true);
  await vi.waitFor(() => expect(refused).toHaveBeenCalledOnce());
  expect(queue.has("gone")).toBe(false);
});

test("marks are kept per user", async () => {
  api.isDown = true;
  (await openPage(ADA)).add("m1", true);
  api.isDown = false;
  api.user = BEN;
  const ben = await openPage(BEN);
  expect(ben.has("m1")).toBe(false);
  ben.add("m9", true);
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m9"]));
  api.user = ADA;
  await openPage(ADA);
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m9", "PUT m1"]));
});

test("what one window has sent, another one does not send again", async () => {
  api.isDown = true;
  const one = await openPage();
  one.add("m1", true);
  const other = await openWindow();
  expect(other.has("m1")).toBe(true);
  await vi.waitFor(() => expect(api.requests.length).toBeGreaterThan(0));
  api.isDown = false;
  one.send();
  await vi.waitFor(() => expect(one.has("m1")).toBe(false));
  expect(sent()).toEqual(["PUT m1"]);
  window.dispatchEvent(new StorageEvent("storage", { key: `nexus.read-marks.${ADA}.m1` }));
  expect(other.has("m1")).toBe(false);
  other.add("m2", true);
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m1", "PUT m2"]));
});

test("of the marks of two windows the later counts in both", async () => {
  api.isDown = true;
  const one = await openPage();
  one.add("m1", true);
  const other = await openWindow();
  other.add("m1", false);
  window.dispatchEvent(new StorageEvent("storage", { key: `nexus.read-marks.${ADA}.m1` }));
  expect(one.over({ ...entry("m1"), read_at: "2026-01-01" }).read_at).toBeNull();
  api.isDown = false;
  one.send();
  await vi.waitFor(() => expect(one.has("m1")).toBe(false));
  expect(sent()).toEqual(["DELETE m1"]);
});

test("a response that breaks off does not count as a refusal", async () => {
  api.breaksOff = true;
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  queue.add("m1", true);
  await vi.waitFor(() => expect(sent()).toEqual(["PUT m1"]));
  api.breaksOff = false;
  await vi.waitFor(() => {
    queue.send();
    expect(sent()).toEqual(["PUT m1", "PUT m1"]);
  });
  expect(refused).not.toHaveBeenCalled();
});
