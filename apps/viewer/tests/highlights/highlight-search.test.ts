import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_HIGHLIGHT_FILTERS } from "@/highlights/all/address";
import { useHighlightSearch } from "@/highlights/all/useHighlightSearch";
import { renderSetup } from "../components/render";

const TYPING_MS = 250;
let unmount = () => {};

async function openHighlights(address = "/highlights") {
  const opened = await renderSetup(useHighlightSearch, address);
  unmount = opened.unmount;
  const { result, router } = opened;
  const [push, replace] = [vi.spyOn(router, "push"), vi.spyOn(router, "replace")];
  const isAt = (expected: string) => vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe(expected));
  return { ...result, router, push, replace, isAt };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
});

test("what is typed is in the address after a pause: the first letter is a step, the others change it", async () => {
  const { term, search, push, replace, isAt } = await openHighlights();
  for (const typed of ["s", "sh"]) {
    term.value = typed;
    await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
  }
  expect(push).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await isAt("/highlights?q=sh");
  term.value = "ships";
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/highlights?q=ships");
  expect([push.mock.calls.length, replace.mock.calls.length]).toEqual([1, 1]);
  expect(search.value.q).toBe("ships");
});

test("a filter takes what is being typed along, and Back restores what was shown before", async () => {
  const { term, search, show, router, isAt } = await openHighlights("/highlights?q=ships&tag=sea");
  term.value = "oaks";
  show({ color: "pink" });
  await isAt("/highlights?q=oaks&color=pink&tag=sea");
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  expect(search.value).toEqual({ q: "oaks", color: "pink", tags: ["sea"], sort: "newest" });
  router.back();
  await isAt("/highlights?q=ships&tag=sea");
  await vi.waitFor(() => expect([term.value, search.value.color]).toEqual(["ships", null]));
});

test("to show all highlights clears the search and the filters together", async () => {
  const { term, search, show, router, isAt } = await openHighlights("/highlights?q=ships&tag=sea");
  show(NO_HIGHLIGHT_FILTERS);
  await isAt("/highlights");
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/highlights");
  expect([term.value, search.value.tags]).toEqual(["", []]);
  router.back();
  await isAt("/highlights?q=ships&tag=sea");
});

test("a page that was opened meanwhile is not left for what was typed before", async () => {
  const { term, search, router, isAt } = await openHighlights();
  term.value = "ships";
  await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
  await router.push("/dashboard");
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/dashboard");
  expect(search.value.q).toBe("");
});
