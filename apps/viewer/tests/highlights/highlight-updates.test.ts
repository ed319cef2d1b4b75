import { useQuery } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";
import { TEXT } from "./queue-page";

/** No other file's: what an earlier test has left to send is not this user's. */
const USER = crypto.randomUUID();
const KEY = ["highlights", TEXT];
const QUEUE = "../../src/highlights/useHighlightQueue";
let api: Server;
let close = () => {};

/** The app with a text that is open. */
async function openApp() {
  vi.resetModules();
  const { useHighlightUpdates } = await import("../../src/highlights/useHighlightUpdates");
  const fetchText = vi.fn(async () => []);
  const { result, unmount } = mount(() => {
    useQuery({ queryKey: KEY, queryFn: fetchText });
    return useHighlightUpdates();
  });
  close = unmount;
  await vi.waitFor(() => expect(fetchText).toHaveBeenCalledOnce());
  return { updates: result, fetchText };
}

/** What an earlier page of this user did, and could not send. */
async function leaveUnsent(): Promise<void> {
  vi.resetModules();
  const { highlightQueue } = await import("../../src/highlights/highlight-queue");
  highlightQueue.setUser(USER);
  highlightQueue.add(TEXT, "h1", { part: "color", color: "pink" });
  await highlightQueue.finish();
}
const sent = () => api.changes().map(({ method, path }) => `${method} ${path}`);

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.user = USER;
});
afterEach(() => {
  close();
  close = () => {};
  vi.useRealTimers();
  vi.doUnmock(QUEUE);
  vi.unstubAllGlobals();
});

test("what an earlier page could not send is sent once the user is known", async () => {
  api.isDown = true;
  await leaveUnsent();
  api.isDown = false;
  const { updates, fetchText } = await openApp();
  expect(sent()).toEqual([]);
  updates.setUser(USER);
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH /highlights/h1"]));
  await vi.waitFor(() => expect(fetchText).toHaveBeenCalledTimes(2)); // the server's own answer
});

test("an event of a text requests its highlights again", async () => {
  const { updates, fetchText } = await openApp();
  updates.onHighlights("another");
  updates.onHighlights(TEXT);
  await vi.waitFor(() => expect(fetchText).toHaveBeenCalledTimes(2));
});

test("where the queue cannot be loaded, the next event loads it again", async () => {
  const load = vi.fn(async (importOriginal: () => Promise<object>) => {
    if (load.mock.calls.length === 1) throw new TypeError("Failed to fetch dynamically imported module");
    return importOriginal();
  });
  vi.doMock(QUEUE, load as never);
  const { updates, fetchText } = await openApp();
  updates.onHighlights(TEXT);
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  await vi.waitFor(() => {
    updates.onHighlights(TEXT); // until the failure has come
    expect(fetchText.mock.calls.length).toBeGreaterThan(1);
  });
});

test("once the app is gone nothing is sent any more", async () => {
  api.isDown = true;
  await leaveUnsent();
  const before = api.requests.length;
  vi.useFakeTimers(); // before the app sets its timers
  const { updates } = await openApp();
  updates.setUser(USER);
  await vi.waitFor(() => expect(api.requests.length).toBeGreaterThan(before));
  await vi.waitFor(() => expect(api.underWay).toBe(0));
  close();
  api.isDown = false;
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent()).toEqual([]);
});
