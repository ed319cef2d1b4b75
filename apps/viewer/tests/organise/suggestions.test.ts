import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";

const TYPING_MS = 120;
let api: Server;
let unmount = () => {};

async function openBox(typed: string, isFocused = true) {
  vi.resetModules(); // after the server stands in for `fetch`
  const { useSuggestions } = await import("../../src/components/library/search/useSuggestions");
  const [term, isOpen] = [ref(typed), ref(isFocused)];
  const mounted = mount(() => useSuggestions(term, isOpen));
  unmount = mounted.unmount;
  const offered = () => mounted.result.value.map(({ q }) => q);
  return { term, isOpen, offered };
}
const asked = () => api.requests.filter(({ path }) => path === "/api/search/suggestions").map(({ query }) => query);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  api = server();
  api.get = (_path, query) => ({ suggestions: [{ operator: "tag", value: "x", count: 1, q: `${query.get("q")}:x` }] });
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("suggestions are requested once one stops typing, and those for other words are not offered", async () => {
  const { term, offered } = await openBox("ta");
  await vi.waitFor(() => expect(offered()).toEqual(["ta:x"]));
  for (const typed of ["tag", "tags"]) {
    term.value = typed;
    await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
    expect(offered()).toEqual([]);
  }
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(offered()).toEqual(["tags:x"]));
  expect(asked()).toEqual(["q=ta", "q=tags"]);
});

test("a box that is not open requests nothing", async () => {
  const { isOpen, offered } = await openBox("ta", false);
  await vi.advanceTimersByTimeAsync(10 * TYPING_MS);
  expect([offered(), asked()]).toEqual([[], []]);
  isOpen.value = true;
  await nextTick();
  await vi.waitFor(() => expect(offered()).toEqual(["ta:x"]));
});
