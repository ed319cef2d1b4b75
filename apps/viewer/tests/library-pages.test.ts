import { expect, test } from "vitest";
import { NO_FILTERS } from "../src/api/filters";
import { type Pages, withChange, withEntries, withEvent, withHead, without } from "../src/api/library-pages";
import type { Entry } from "../src/api/types";

const counts = { all: 0, by_status: {}, by_kind: {} } as never;

function entry(number: number, difference: Partial<Entry> = {}): Entry {
  const at = new Date(Date.UTC(2026, 0, number)).toISOString();
  return {
    media_id: `m${number}`,
    item_id: `i${number}`,
    kind: "web_article",
    status: "queued",
    title: `https://example.org/${number}`,
    created_at: at,
    updated_at: at,
    read_at: null,
    archived_at: null,
    starred_at: null,
    tags: [],
    reading_minutes: number,
    ...difference,
  } as Entry;
}

function pages(...numbers: number[][]): Pages {
  return {
    pages: numbers.map((page) => ({ entries: page.map((number) => entry(number)), next_cursor: "more", counts })),
    pageParams: numbers.map((_, index) => (index ? "more" : null)),
  };
}

const ids = (data: Pages) => data.pages.flatMap((page) => page.entries.map((one) => one.item_id));

test("a new item is on top and displaces none", () => {
  const head = { entries: [entry(5), entry(4)], next_cursor: "c", counts };
  expect(ids(withHead(pages([4, 3], [2, 1]), head))).toEqual(["i5", "i4", "i3", "i2", "i1"]);
});

test("an item that is gone from the head is removed", () => {
  const head = { entries: [entry(5), entry(3)], next_cursor: "c", counts };
  expect(ids(withHead(pages([5, 4, 3], [2]), head))).toEqual(["i5", "i3", "i2"]);
});

test("an item that was merged into another is shown once", () => {
  const head = { entries: [entry(5, { media_id: "m1" })], next_cursor: "c", counts };
  expect(ids(withHead(pages([5, 2], [1]), head))).toEqual(["i5", "i2"]);
});

test("a head without a next page replaces everything", () => {
  const head = { entries: [entry(9)], next_cursor: null, counts };
  expect(ids(withHead(pages([4, 3], [2, 1]), head))).toEqual(["i9"]);
});

const event = { item_id: "i2", media_id: "m7", status: "succeeded", status_detail: null, title: "T", updated_at: "x" };

test("an event changes its item in place", () => {
  const changed = withEvent(pages([3], [2]), event, NO_FILTERS);
  expect(changed.pages[1]?.entries[0]).toMatchObject({
    status: "succeeded",
    title: "T",
    media_id: "m7",
    can_read: true,
  });
  expect(changed.pages[0]?.entries[0]?.status).toBe("queued");
});

test("an item that no longer fits the filter is removed", () => {
  expect(ids(withEvent(pages([3], [2]), event, { ...NO_FILTERS, status: "queued" }))).toEqual(["i3"]);
});

test("what was deleted is removed, also an episode, which has no item", () => {
  expect(ids(without(pages([3], [2]), "i3"))).toEqual(["i2"]);
  expect(ids(without(pages([3], [2]), "m2"))).toEqual(["i3"]);
});

test("what was read is marked everywhere and leaves the list of what is unread", () => {
  const ready = { status: "succeeded", read_at: null } as const;
  const before: Pages = {
    pages: [{ entries: [entry(2, ready), entry(1, ready)], next_cursor: null, counts }],
    pageParams: [null],
  };
  const mark = (readAt: string | null) => (one: Entry) => (one.media_id === "m2" ? { ...one, read_at: readAt } : one);
  const [read, unread] = [mark("2026-01-03T00:00:00Z"), mark(null)];
  const all = withChange(before, NO_FILTERS, read);
  expect(all.pages[0]?.entries.map((one) => one.read_at)).toEqual(["2026-01-03T00:00:00Z", null]);
  expect(ids(withChange(before, { ...NO_FILTERS, unread: true }, read))).toEqual(["i1"]);
  expect(ids(withChange(all, { ...NO_FILTERS, unread: true }, unread))).toEqual(["i2", "i1"]);
});

test("an entry that comes to belong to a list is put where its order says", () => {
  const shown = pages([5, 3], [2]);
  expect(ids(withEntries(shown, NO_FILTERS, [entry(4)]))).toEqual(["i5", "i4", "i3", "i2"]);
  expect(ids(withEntries(shown, NO_FILTERS, [entry(1)]))).toEqual(["i5", "i3", "i2"]); // with the next page
  const longest = { ...NO_FILTERS, sort: "shortest" } as const;
  expect(ids(withEntries(pages([2, 3, 5]), longest, [entry(4)]))).toEqual(["i2", "i3", "i4", "i5"]);
});

test("an entry leaves the lists that it no longer belongs to, and stays in the others", () => {
  const archived = entry(3, { archived_at: "2026-02-01", tags: ["Science/Space"] });
  const shown = pages([5, 3]);
  expect(ids(withEntries(shown, NO_FILTERS, [archived]))).toEqual(["i5"]);
  expect(ids(withEntries(shown, { ...NO_FILTERS, archive: "all" }, [archived]))).toEqual(["i5", "i3"]);
  const last = { ...pages([]), pages: [{ entries: [], next_cursor: null, counts }] };
  expect(ids(withEntries(last, { ...NO_FILTERS, tags: ["science"] }, [archived]))).toEqual(["i3"]);
});

test("undo brings back all that were loaded, also the last ones of a page", () => {
  const at = "2026-02-01";
  const archive = (...numbers: number[]) => numbers.map((one) => entry(one, { archived_at: at }));
  const back = (...numbers: number[]) => numbers.map((one) => entry(one));
  const none = withEntries(pages([5, 4], [3, 2]), NO_FILTERS, archive(5, 4, 3, 2));
  expect(ids(none)).toEqual([]);
  expect(ids(withEntries(none, NO_FILTERS, back(5, 4, 3, 2)))).toEqual(["i5", "i4", "i3", "i2"]);
  expect(ids(withEntries(none, NO_FILTERS, back(1)))).toEqual([]); // with the next page
  const some = withEntries(pages([5, 4], [3, 2]), NO_FILTERS, archive(3, 2));
  expect(ids(withEntries(some, NO_FILTERS, back(3, 2)))).toEqual(["i5", "i4", "i3", "i2"]);
});
