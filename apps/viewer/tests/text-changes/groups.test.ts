import { expect, test } from "vitest";
import { countChanges, groupParagraphs } from "../../src/components/reader/versions/group-paragraphs";
import {
  comparedIn,
  compareWith,
  highlightIn,
  highlightLink,
  openVersion,
  versionIn,
} from "../../src/components/reader/versions/version-links";
import type { Paragraph } from "../../src/text-changes/compare-texts";

const same = (text: string): Paragraph => [{ change: "same", text }];
const added = (text: string): Paragraph => [{ change: "added", text }];
const many = (count: number) => Array.from({ length: count }, (_, index) => same(String(index)));
const sizes = (paragraphs: Paragraph[]) =>
  groupParagraphs(paragraphs).map((group) => (group.isLong ? -1 : 1) * group.paragraphs.length);

test("long unchanged parts are hidden but for what surrounds a change", () => {
  expect(sizes([...many(10), added("new"), ...many(10)])).toEqual([0, -9, 1, 1, 1, -9, 0]);
  expect(sizes([added("new"), ...many(5), added("other")])).toEqual([1, 1, -3, 1, 1]);
});

test("short ones are shown", () => {
  expect(sizes([added("new"), ...many(4), added("other")])).toEqual([1, 4, 1]);
  expect(sizes([...many(3), added("new")])).toEqual([3, 1]);
  expect(sizes([])).toEqual([]);
});

test("words are counted, punctuation is not; characters where there are no spaces", () => {
  const parts: Paragraph = [
    { change: "removed", text: "one, two." },
    { change: "same", text: "not these" },
    { change: "added", text: "東京。" },
  ];
  expect(countChanges([parts, added("three")])).toEqual({ added: 3, removed: 2 });
});

test("the address says which text is shown and keeps the rest of it", () => {
  const route = { query: { save: "i1", at: "0.5", version: "2" } };
  expect(versionIn(route)).toBe(2);
  expect(openVersion(route, 1)).toEqual({ query: { save: "i1", version: "1" } });
  expect(openVersion(route, null)).toEqual({ query: { save: "i1" } });
  expect(compareWith(route, 1)).toEqual({ query: { save: "i1", compare: "1" } });
  expect(comparedIn({ query: { compare: "3" } })).toBe(3);
});

test("a highlight is opened in the text that it is in", () => {
  const route = { query: { save: "i1", version: "3", highlight: "h0" } };
  expect(highlightIn(route)).toBe("h0");
  expect(highlightIn({ query: {} })).toBeNull();
  const link = (state: "attached" | "orphaned") => highlightLink(route, { id: "h1", version: 2, state }).query;
  expect(link("orphaned")).toEqual({ save: "i1", version: "2", highlight: "h1" });
  expect(link("attached")).toEqual({ save: "i1", highlight: "h1" });
  expect(openVersion(route, 1).query).not.toHaveProperty("highlight");
});

test.each(["", "0", "-1", "1.5", "x", "99999999999999", null, ["1", "2"]])("no version is %j", (version) => {
  expect(versionIn({ query: { version } })).toBeNull();
});
