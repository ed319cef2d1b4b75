import { expect, test } from "vitest";
import type { Entry } from "../../src/api/types";
import { changed, type EntryChange, restored } from "../../src/device/decisions";

const AT = "2026-02-01";
const BEFORE = {
  media_id: "m1",
  title: "Of the page",
  own_title: null,
  note: "Before",
  tags: ["Élan"],
  read_at: null,
  archived_at: null,
  starred_at: "2026-01-05",
} as Partial<Entry> as Entry;

const CHANGES: EntryChange[] = [
  { field: "read", value: true },
  { field: "archived", value: true },
  { field: "starred", value: false },
  { field: "title", value: "Mine" },
  { field: "note", value: "" },
  { field: "tag", name: "elan", value: false },
  { field: "tag", name: "New", value: true },
];

test.each(CHANGES)("$field to $value is taken back, and only that", (change) => {
  const after = changed(BEFORE, change, AT);
  expect(after).not.toEqual(BEFORE);
  expect(restored(after, BEFORE, change)).toEqual(BEFORE);
  const since = changed(after, { field: "tag", name: "Since", value: true }, AT);
  expect(restored(since, BEFORE, change).tags.toSorted()).toEqual(["Since", "Élan"]);
});
