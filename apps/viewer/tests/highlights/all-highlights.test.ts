import { QueryClient } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shallowRef } from "vue";
import type { HighlightSearch } from "../../src/api/highlights";
import { addressOf, isFiltered, NO_HIGHLIGHT_FILTERS, searchIn } from "../../src/highlights/all/address";
import { dayOf, isSeen } from "../../src/highlights/all/useReview";
import { mount } from "../composables/mount";
import { ADA, type Server, server } from "../composables/server";
import { listed } from "./listed";

let api: Server;
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  api = server();
});
afterEach(() => {
  stop();
  stop = () => {};
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function openPage() {
  vi.resetModules();
  const { highlightQueue } = await import("../../src/highlights/highlight-queue");
  const updates = await import("../../src/highlights/all/updates");
  highlightQueue.setUser(ADA);
  stop = highlightQueue.start();
  return { highlightQueue, ...updates };
}

test("an address says what is shown, and nothing else", () => {
  const search: HighlightSearch = { q: "a b", color: "green", tags: ["x", "y/z"], sort: "text" };
  expect(addressOf(search)).toEqual({ q: "a b", color: "green", tag: ["x", "y/z"], sort: "text" });
  expect(searchIn(addressOf(search) as never)).toEqual(search);
  expect(searchIn({ color: "black", sort: "size", tag: " ", q: null })).toEqual({
    ...NO_HIGHLIGHT_FILTERS,
    sort: "newest",
  });
  expect(addressOf({ ...NO_HIGHLIGHT_FILTERS, sort: "newest" })).toEqual({});
  expect(isFiltered({ ...NO_HIGHLIGHT_FILTERS, q: " " })).toBe(false);
  expect(isFiltered({ ...NO_HIGHLIGHT_FILTERS, tags: ["a"] })).toBe(true);
});

test("what is not sent yet is shown in lists of any texts, and a deletion that is undone, too", async () => {
  api.isDown = true;
  const { highlightQueue } = await openPage();
  const all = [listed("a"), listed("b", { media_id: "other" }), listed("c")];
  highlightQueue.add("other", "b", { part: "color", color: "pink" });
  highlightQueue.add("other", "b", { part: "note", note: "New" });
  highlightQueue.add(all[0]?.media_id ?? "", "a", { part: "deleted", isDeleted: true });
  const shown = highlightQueue.withPendingInEach(all);
  expect(shown.map(({ id, color, note }) => [id, color, note])).toEqual([
    ["b", "pink", "New"],
    ["c", "yellow", null],
  ]);
  expect(shown[0]?.media.title).toBe("A text");
  highlightQueue.add(all[0]?.media_id ?? "", "a", { part: "deleted", isDeleted: false, was: listed("a") });
  expect(highlightQueue.withPendingInEach(all).map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

test("what was just sent stays in the lists that are loaded until the server's answer comes", async () => {
  api.isDown = true;
  const { highlightQueue, adoptSent, ALL_HIGHLIGHTS, REVIEW } = await openPage();
  const client = new QueryClient();
  const page = { highlights: [listed("a"), listed("b")], next_cursor: null };
  client.setQueryData([ALL_HIGHLIGHTS, "x"], { pages: [page], pageParams: [null] });
  client.setQueryData([REVIEW, "2026-11-16"], { day: "2026-11-16", highlights: [listed("b")] });
  highlightQueue.add("m", "b", { part: "color", color: "blue" });
  adoptSent(client);
  const colors = (highlights: { color: string }[]) => highlights.map(({ color }) => color);
  const known = client.getQueryData<{ pages: { highlights: { color: string }[] }[] }>([ALL_HIGHLIGHTS, "x"]);
  expect(colors(known?.pages[0]?.highlights ?? [])).toEqual(["yellow", "blue"]);
  const review = client.getQueryData<{ highlights: { color: string }[] }>([REVIEW, "2026-11-16"]);
  expect(colors(review?.highlights ?? [])).toEqual(["blue"]);
});

test("many changes load a list once, and what comes meanwhile once more", async () => {
  const { createListRefresher } = await openPage();
  const client = new QueryClient();
  const waiting: (() => void)[] = [];
  vi.spyOn(client, "invalidateQueries").mockImplementation(() => new Promise((resolve) => waiting.push(resolve)));
  const refresh = createListRefresher(client);
  for (let index = 0; index < 20; index += 1) refresh();
  await vi.advanceTimersByTimeAsync(300);
  expect(waiting).toHaveLength(2); // the list and the review
  refresh();
  refresh();
  await vi.advanceTimersByTimeAsync(1000);
  expect(waiting).toHaveLength(2); // never two at once
  for (const finish of waiting) finish();
  await vi.advanceTimersByTimeAsync(1000);
  expect(waiting).toHaveLength(4);
});

test("a day is the user's, and a highlight is seen for this day", () => {
  const now = new Date(2026, 10, 16, 9, 30).getTime();
  expect(dayOf(now)).toBe("2026-11-16");
  const at = (time: number) => ({ seen_at: new Date(time).toISOString() });
  expect(isSeen({ seen_at: null }, now)).toBe(false);
  expect(isSeen(at(new Date(2026, 10, 16, 0, 5).getTime()), now)).toBe(true);
  expect(isSeen(at(new Date(2026, 10, 15, 23, 0).getTime()), now)).toBe(true); // the server counts no second time yet
  expect(isSeen(at(new Date(2026, 10, 15, 20, 0).getTime()), now)).toBe(false);
});

const SEARCH: HighlightSearch = { ...NO_HIGHLIGHT_FILTERS, sort: "newest" };

async function openList() {
  const { highlightQueue } = await openPage();
  const { useAllHighlights } = await import("../../src/highlights/all/useAllHighlights");
  const { changed } = await import("../../src/highlights/useHighlights");
  highlightQueue.whenChanged(() => {
    changed.value += 1;
  });
  const search = shallowRef(SEARCH);
  const { result, unmount } = mount(() => useAllHighlights(search));
  const stopQueue = stop;
  stop = () => {
    unmount();
    stopQueue();
  };
  await vi.advanceTimersByTimeAsync(10);
  const shown = () => result.highlights.value.map(({ id, color }) => `${id} ${color}`);
  return { highlightQueue, search, shown, query: result.query };
}

test("a highlight that is on two pages, since something was added in between, is shown once", async () => {
  const pages: Record<string, object> = {
    "": { data: { highlights: [listed("a"), listed("b")], next_cursor: "2" } },
    2: { data: { highlights: [listed("b", { color: "pink" }), listed("c")], next_cursor: null } },
  };
  api.get = (_path, query) => pages[query.get("cursor") ?? ""];
  const { query, shown } = await openList();
  expect([shown(), query.hasNextPage.value]).toEqual([["a yellow", "b yellow"], true]);
  void query.fetchNextPage();
  await vi.advanceTimersByTimeAsync(10);
  expect([shown(), query.hasNextPage.value]).toEqual([["a yellow", "b pink", "c yellow"], false]);
});

test("what is changed without a connection is shown in the list that is open", async () => {
  api.get = () => ({ data: { highlights: [listed("a"), listed("b")], next_cursor: null } });
  const { highlightQueue, shown } = await openList();
  api.isDown = true;
  highlightQueue.add(listed("a").media_id, "a", { part: "color", color: "blue" });
  highlightQueue.add(listed("b").media_id, "b", { part: "deleted", isDeleted: true });
  expect(shown()).toEqual(["a blue"]);
});

test("the answer to an earlier search does not come after that to a later one", async () => {
  api.get = (_path, query) => ({ data: { highlights: [listed(query.get("q") ?? "all")], next_cursor: null } });
  const { search, shown } = await openList();
  let respondLate = () => {};
  api.holdReads = new Promise((resolve) => {
    respondLate = resolve;
  });
  search.value = { ...SEARCH, q: "ow" };
  await vi.advanceTimersByTimeAsync(10);
  api.holdReads = Promise.resolve();
  search.value = { ...SEARCH, q: "owl" };
  await vi.advanceTimersByTimeAsync(10);
  respondLate();
  await vi.advanceTimersByTimeAsync(10);
  expect(shown()).toEqual(["owl yellow"]);
});
