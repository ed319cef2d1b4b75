import { QueryClient } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HighlightSearch } from "../../src/api/highlights";
import { addressOf, isFiltered, NO_HIGHLIGHT_FILTERS, searchIn } from "../../src/highlights/all/address";
import { dayOf, isSeen } from "../../src/highlights/all/useReview";
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
