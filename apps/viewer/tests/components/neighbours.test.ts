import { afterEach, beforeEach, expect, test } from "vitest";
import type { Entry } from "../../src/api/types";
import { useNeighbours } from "../../src/components/reader/extras/neighbours";
import { listedEntries } from "../../src/pages/last-list";

const entry = (media_id: string, facts: Partial<Entry> = {}) =>
  ({ media_id, can_read: true, can_play: false, ...facts }) as Entry;
const list = (...ids: string[]) => ids.map((id) => entry(id));

/** Opens a text, from the library or from another text. */
function open(mediaId: string, from = "/") {
  window.history.replaceState({ back: from }, "");
  const { previous, next } = useNeighbours(mediaId);
  return [previous.value?.media_id ?? null, next.value?.media_id ?? null];
}

beforeEach(() => {
  listedEntries.value = list("a", "b", "c");
});
afterEach(() => window.history.replaceState(null, ""));

test("a text has those before and after it in the list", () => {
  expect([open("a"), open("b"), open("c")]).toEqual([
    [null, "b"],
    ["a", "c"],
    ["b", null],
  ]);
});

test("those that cannot be opened are passed over", () => {
  const failed = { can_read: false };
  listedEntries.value = [
    entry("a"),
    entry("x", failed),
    entry("b"),
    entry("y", failed),
    entry("audio", { can_read: false, can_play: true }),
  ];
  expect([open("b"), open("audio")]).toEqual([
    ["a", "audio"],
    ["b", null],
  ]);
});

test("what leaves the list while one goes from text to text stays a neighbour", () => {
  open("a");
  listedEntries.value = list("c"); // both were read
  expect(open("b", "/read/a")).toEqual(["a", "c"]);
  expect(open("c")).toEqual([null, null]); // from the library
});

test("a text that the list does not have, as a related one, has none", () => {
  open("a");
  expect(open("other", "/read/a")).toEqual([null, null]);
});

test("the list may be loaded only after the text was opened", () => {
  listedEntries.value = [];
  expect(open("b")).toEqual([null, null]);
  listedEntries.value = list("a", "b");
  expect(open("b", "/read/a")).toEqual(["a", null]);
});
