import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withWindowLock } from "../../src/device/window-lock";

const KEY = "nexus.lease.queue";
const LEASE_MS = 20_000;
let done: string[];

/** A task that is over when it is told. */
function openWindow(name: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const isOver = withWindowLock("queue", async () => {
    done.push(`${name} begins`);
    await ended;
    done.push(`${name} ends`);
  });
  return { end, isOver };
}
const hold = (until: number) => localStorage.setItem(KEY, JSON.stringify({ holder: "another", until }));

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  done = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, "locks");
});

test("two windows run one after the other", async () => {
  const [first, second] = [openWindow("first"), openWindow("second")];
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toHaveLength(1);
  first.end();
  second.end();
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all([first.isOver, second.isOver]);
  expect(done).toHaveLength(4);
  expect(done[1]?.split(" ")[0]).toBe(done[0]?.split(" ")[0]);
  expect(localStorage.getItem(KEY)).toBeNull();
});

test("of two windows that took it at the same moment, the one that wrote last has it", async () => {
  const first = openWindow("first");
  hold(Date.now() + 2000); // the other one saw none either, and wrote after it
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toEqual(["first begins"]);
  first.end();
  await first.isOver;
});

test("a task that takes longer than a lease keeps it", async () => {
  const first = openWindow("first");
  await vi.advanceTimersByTimeAsync(1000);
  const second = openWindow("second");
  await vi.advanceTimersByTimeAsync(3 * LEASE_MS);
  expect(done).toEqual(["first begins"]);
  first.end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toEqual(["first begins", "first ends", "second begins"]);
  second.end();
  await second.isOver;
});

test("a window that is closed leaves its lease to the next", async () => {
  openWindow("closed");
  await vi.advanceTimersByTimeAsync(1000);
  window.dispatchEvent(new Event("pagehide"));
  expect(localStorage.getItem(KEY)).toBeNull();
});

test("a lease that a crashed window left behind is waited for no longer than it lasts", async () => {
  hold(Date.now() + LEASE_MS);
  const next = openWindow("next");
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1000);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(done).toEqual(["next begins"]);
  next.end();
  await next.isOver;
});

test("a lease of a clock that was wrong counts for nothing", async () => {
  hold(Date.now() + 10 * LEASE_MS);
  const next = openWindow("next");
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toEqual(["next begins"]);
  next.end();
  await next.isOver;
});

test("a task that fails leaves no lease", async () => {
  const failing = withWindowLock("queue", () => Promise.reject(new Error("broken")));
  const caught = expect(failing).rejects.toThrow("broken");
  await vi.advanceTimersByTimeAsync(1000);
  await caught;
  expect(localStorage.getItem(KEY)).toBeNull();
});

test("without storage there is no lock, and the task runs", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const only = openWindow("only");
  expect(done).toEqual(["only begins"]);
  only.end();
  await only.isOver;
});

test("the browser's own locks are used where it has some", async () => {
  const request = vi.fn(async (_name: string, task: () => Promise<void>) => task());
  Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
  const only = openWindow("only");
  only.end();
  await only.isOver;
  expect(request).toHaveBeenCalledWith("queue", expect.any(Function));
  expect(done).toEqual(["only begins", "only ends"]);
});
