import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
});

test("importing it starts no timer", async () => {
  await import("../../src/composables/useNow");
  expect(vi.getTimerCount()).toBe(0);
});

test("all who use it share one timer, and the time of its last second", async () => {
  const { useNow } = await import("../../src/composables/useNow");
  vi.advanceTimersByTime(700);
  const [one, other] = [useNow(), useNow()];
  expect([vi.getTimerCount(), one.value]).toEqual([1, 1_000_700]);
  vi.advanceTimersByTime(1000);
  expect([one.value, other.value]).toEqual([1_001_700, 1_001_700]);
});
