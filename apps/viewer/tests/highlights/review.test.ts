import { afterEach, expect, test, vi } from "vitest";
import { mount } from "../composables/mount";
import { server } from "../composables/server";
import { listed } from "./listed";

let unmount = () => {};
afterEach(() => {
  unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("after midnight a page that is still open shows the review of the next day", async () => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date(2026, 10, 16, 23, 59, 30));
  const api = server();
  api.get = (_, query) => ({ data: { day: query.get("day"), highlights: [listed(query.get("day") ?? "")] } });
  vi.resetModules(); // the clock of the page begins now
  const { useReview } = await import("../../src/highlights/all/useReview");
  const { result, unmount: leave } = mount(useReview);
  unmount = leave;
  await vi.advanceTimersByTimeAsync(2000);
  expect(result.highlights.value.map(({ id }) => id)).toEqual(["2026-11-16"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(result.highlights.value.map(({ id }) => id)).toEqual(["2026-11-17"]);
});
