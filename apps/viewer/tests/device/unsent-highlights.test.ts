import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADA, BEN, type Server, server } from "../composables/server";
import { TEXT } from "../highlights/queue-page";

let api: Server;

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.isDown = true;
});
afterEach(() => vi.unstubAllGlobals());

/** As after a reload: nothing in memory. */
async function openPage(user: string | null) {
  vi.resetModules();
  const { setDeviceUser } = await import("../../src/device/user");
  setDeviceUser(user);
  return import("../../src/highlights/unsent");
}

test("what waits is counted once the queue is loaded, for the user of this browser", async () => {
  const { loadHighlightQueue, unsentHighlights } = await openPage(ADA);
  const queue = await loadHighlightQueue();
  queue.add(TEXT, "h1", { part: "color", color: "pink" });
  queue.add(TEXT, "h1", { part: "note", note: "x" });
  await queue.finish();
  expect(unsentHighlights.value).toBe(2);

  const after = await openPage(ADA);
  expect(after.unsentHighlights.value).toBe(0);
  const loaded = await after.loadHighlightQueue();
  expect(after.unsentHighlights.value).toBe(2);
  loaded.discard();
  expect(after.unsentHighlights.value).toBe(0);
});

test("what another user did here is not counted", async () => {
  const { loadHighlightQueue } = await openPage(ADA);
  const queue = await loadHighlightQueue();
  queue.add(TEXT, "h1", { part: "color", color: "pink" });
  await queue.finish();
  for (const user of [BEN, null]) {
    const other = await openPage(user);
    await other.loadHighlightQueue();
    expect(other.unsentHighlights.value).toBe(0);
  }
});
