import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_FILTERS } from "@/api/filters";
import { useListAddress } from "@/composables/organise/useListAddress";
import { lastList } from "@/pages/last-list";
import { renderSetup } from "../components/render";

const TYPING_MS = 250;
let unmount = () => {};

async function openList(address = "/") {
  const opened = await renderSetup(useListAddress, address);
  unmount = opened.unmount;
  const { result: list, router } = opened;
  const [push, replace] = [vi.spyOn(router, "push"), vi.spyOn(router, "replace")];
  const isAt = (expected: string) => vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe(expected));
  return { list, router, push, replace, isAt };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
});

test("what is typed is in the address after a pause: the first letter is a step, the others change it", async () => {
  const { list, push, replace, isAt } = await openList();
  for (const typed of ["s", "sh"]) {
    list.term.value = typed;
    await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
  }
  expect([push.mock.calls.length, list.isSearching.value]).toEqual([0, false]);
  await vi.advanceTimersByTimeAsync(1);
  await isAt("/?q=sh");
  list.term.value = "ships";
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/?q=ships");
  expect([push.mock.calls.length, replace.mock.calls.length]).toEqual([1, 1]);
  expect([list.search.value.q, list.isSearching.value, lastList.value]).toEqual(["ships", true, { q: "ships" }]);
});

test("an empty box ends the search at once, and Enter does not wait for a pause", async () => {
  const { list, isAt } = await openList("/?q=ships&unread=1");
  expect([list.term.value, list.filters.value.unread]).toEqual(["ships", true]);
  list.term.value = " ";
  await isAt("/?unread=1");
  list.term.value = "oaks";
  list.searchNow();
  await isAt("/?unread=1&q=oaks");
});

test("filters that come without a search end it, and none of the earlier ones stays", async () => {
  const { list, replace, isAt } = await openList("/?q=ships&starred=1");
  list.show({ ...NO_FILTERS, archive: "all" }, "");
  await isAt("/?in=all");
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/?in=all");
  expect([list.search.value.q, list.filters.value.starred, replace.mock.calls.length]).toEqual(["", false, 0]);
});

test("Back restores what was shown before", async () => {
  const { list, router, isAt } = await openList("/?tag=sea");
  list.show({ ...list.filters.value, tags: [], starred: true }, "ships");
  await isAt("/?starred=1&q=ships");
  expect([list.search.value.starred, list.search.value.tags]).toEqual([true, []]);
  router.back();
  await isAt("/?tag=sea");
  await vi.waitFor(() => expect(list.term.value).toBe(""));
  expect([list.filters.value.starred, list.filters.value.tags]).toEqual([false, ["sea"]]);
});

test("behind a text that was opened meanwhile the list stays as it was", async () => {
  const { list, router, isAt } = await openList("/?q=ships");
  list.term.value = "ships of";
  await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
  await router.push("/read/m1?q=oaks");
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  await isAt("/read/m1?q=oaks");
  expect(list.search.value.q).toBe("ships");
});
