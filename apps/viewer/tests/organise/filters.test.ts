import { expect, test } from "vitest";
import { archiveFilterOf, type Filters, hasFilter, isShown, NO_FILTERS, wireFilters } from "@/api/filters";
import type { Entry } from "@/api/types";
import { addressOf, filtersIn } from "@/components/library/filters/address";
import { isSameSearch, searchOf, wireSearch } from "@/components/library/filters/saved-search";
import { chipsOf, onlyTag, toggledTag, viewOf, withView } from "@/components/library/filters/views";

const FULL: Filters = {
  kind: "web_article",
  status: "succeeded",
  unread: true,
  starred: true,
  archive: "archive",
  tags: ["Science/Space", "to cite"],
  untagged: false,
  highlighted: true,
  site: "example.org",
  minMinutes: 5,
  maxMinutes: 15,
  sort: "longest",
  byDate: true,
};

test("filters survive the address", () => {
  expect(filtersIn(addressOf(FULL, "x") as never)).toEqual(FULL);
  expect(addressOf(NO_FILTERS, " ")).toEqual({});
  expect(filtersIn({ kind: "nonsense", in: "x", sort: "x", min: "-1", max: "1e9", tag: [null, ""] })).toEqual(
    NO_FILTERS,
  );
});

test("of an address that was pasted as the site, its host counts", () => {
  for (const site of [" Example.org ", "www.example.org", "https://www.EXAMPLE.org/a/b?c=//d", "example.org/a"])
    expect(filtersIn({ site }).site).toBe("example.org");
  const filters = filtersIn({ site: "http://bücher.example/" });
  expect(isShown({ site: "bücher.example", tags: [], archived_at: null } as unknown as Entry, filters)).toBe(true);
  expect(isShown({ site: "example.org", tags: [], archived_at: null } as unknown as Entry, filters)).toBe(false);
});

test("without a word about it, the list is the Inbox, and what is looked for is looked for everywhere", () => {
  expect(archiveFilterOf(NO_FILTERS)).toBe("inbox");
  expect(archiveFilterOf({ ...NO_FILTERS, unread: true, maxMinutes: 5 })).toBe("inbox");
  expect(archiveFilterOf({ ...NO_FILTERS, q: "comet" })).toBe("all");
  expect(archiveFilterOf({ ...NO_FILTERS, tags: ["a"] })).toBe("all");
  expect(archiveFilterOf({ ...NO_FILTERS, tags: ["a"], archive: "inbox" })).toBe("inbox");
  expect(wireFilters(NO_FILTERS)).toEqual({ archived: "false" });
  expect(wireFilters({ ...FULL, q: "a b" })).toEqual({
    kind: "web_article",
    status: "succeeded",
    unread: true,
    starred: true,
    archived: "true",
    tag: ["Science/Space", "to cite"],
    highlighted: true,
    site: "example.org",
    min_minutes: 5,
    max_minutes: 15,
    q: "a b",
  });
});

test("a saved search is what it was when it was saved", () => {
  for (const search of [
    { ...FULL, q: "x", sort: NO_FILTERS.sort },
    { ...FULL, q: "", byDate: false },
    { ...NO_FILTERS, q: "x" },
    { ...NO_FILTERS, q: "", tags: ["a"] },
  ]) {
    const saved = { id: "1", name: "n", position: 0, count: 0, count_is_more: false, ...wireSearch(search) };
    expect(searchOf(saved)).toEqual(search);
    expect(isSameSearch(saved, search)).toBe(true);
    expect(isSameSearch(saved, { ...search, untagged: true })).toBe(false);
  }
});

test("views are told apart, and a search keeps its words in each", () => {
  expect(viewOf(NO_FILTERS, "")).toBe("inbox");
  expect(viewOf(NO_FILTERS, "comet")).toBe("all");
  expect(viewOf({ ...NO_FILTERS, tags: ["a"] }, "")).toBeNull();
  for (const view of ["inbox", "archive", "all", "starred"] as const) {
    expect(viewOf(withView({ ...FULL, starred: false }, view, false), "")).toBe(view);
    expect(viewOf(withView(NO_FILTERS, view, true), "comet")).toBe(view);
  }
  expect(withView(withView(NO_FILTERS, "unread", false), "unread", false)).toEqual(NO_FILTERS);
});

test("each chip takes away what it says", () => {
  const chips = chipsOf(FULL);
  expect(chips.map((chip) => chip.label)).toEqual([
    "In the Archive",
    "Unread",
    "Starred",
    "Articles",
    "Ready to read",
    "#Science/Space",
    "#to cite",
    "With highlights",
    "example.org",
    "5 to 15 min",
  ]);
  const bare = chips.reduce<Filters>(
    (left, { key }) => chipsOf(left).find((chip) => chip.key === key)?.without ?? left,
    FULL,
  );
  expect(hasFilter(bare)).toBe(false);
});

test("tags are added, taken away, and chosen alone", () => {
  expect(toggledTag({ ...NO_FILTERS, tags: ["a"] }, "B").tags).toEqual(["a", "B"]);
  expect(toggledTag({ ...NO_FILTERS, tags: ["Été"] }, "ete").tags).toEqual([]);
  expect(onlyTag({ ...FULL, sort: "title" }, "b")).toEqual({ ...NO_FILTERS, tags: ["b"], sort: "title" });
});

const entry = (more: Partial<Entry>) =>
  ({
    kind: "web_article",
    status: "succeeded",
    read_at: null,
    archived_at: null,
    starred_at: null,
    tags: [],
    reading_minutes: 3,
    site_name: "The Post",
    canonical_url: "https://www.example.org/a",
    ...more,
  }) as Entry;

test("what a filter shows is what the server would", () => {
  expect(isShown(entry({}), NO_FILTERS)).toBe(true);
  expect(isShown(entry({ archived_at: "x" }), NO_FILTERS)).toBe(false);
  expect(isShown(entry({ archived_at: "x" }), { ...NO_FILTERS, archive: "archive" })).toBe(true);
  expect(isShown(entry({ tags: ["science/space"] }), { ...NO_FILTERS, tags: ["Science"] })).toBe(true);
  expect(isShown(entry({ tags: ["sciences"] }), { ...NO_FILTERS, tags: ["Science"] })).toBe(false);
  expect(isShown(entry({ tags: ["a"] }), { ...NO_FILTERS, untagged: true })).toBe(false);
  expect(isShown(entry({ highlight_count: 1 }), { ...NO_FILTERS, highlighted: true })).toBe(true);
  expect(isShown(entry({ highlight_count: 0 }), { ...NO_FILTERS, highlighted: true })).toBe(false);
  expect(isShown(entry({}), { ...NO_FILTERS, maxMinutes: 2 })).toBe(false);
  expect(isShown(entry({ reading_minutes: null }), { ...NO_FILTERS, minMinutes: 1 })).toBe(false);
});
