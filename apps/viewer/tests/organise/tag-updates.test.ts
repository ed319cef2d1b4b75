import { useQuery } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mount } from "../composables/mount";

let unmount = () => {};
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
});

test("changes that come together count tags and saved searches once", async () => {
  vi.resetModules();
  const { useTagUpdates } = await import("../../src/composables/organise/useTags");
  const [tags, searches] = [vi.fn(async () => []), vi.fn(async () => [])];
  const { result, unmount: close } = mount(() => {
    useQuery({ queryKey: ["tags"], queryFn: tags });
    useQuery({ queryKey: ["saved-searches"], queryFn: searches });
    return useTagUpdates();
  });
  unmount = close;
  await vi.advanceTimersByTimeAsync(10);
  for (const pause of [0, 50, 100]) {
    result();
    await vi.advanceTimersByTimeAsync(pause);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect([tags.mock.calls.length, searches.mock.calls.length]).toEqual([2, 2]);
});
