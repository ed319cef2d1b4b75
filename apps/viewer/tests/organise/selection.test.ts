import { beforeEach, expect, test } from "vitest";
import type { Entry } from "@/api/types";
import { useSelection } from "@/composables/organise/useSelection";

const entries = ["a", "b", "c", "d", "e"].map((media_id) => ({ media_id }) as Entry);
const at = (index: number) => entries[index] as Entry;
const selection = useSelection();
const ids = () =>
  selection
    .entries()
    .map((entry) => entry.media_id)
    .sort()
    .join("");

beforeEach(selection.clear);

test("a click selects, a second one takes back, shift selects all between", () => {
  selection.toggle(at(3));
  selection.toggle(at(1));
  expect(ids()).toBe("bd");
  selection.extend(at(4), entries);
  expect(ids()).toBe("bcde");
  selection.toggle(at(2));
  expect(ids()).toBe("bde");
});

test("shift without a row to begin at selects one", () => {
  selection.extend(at(2), entries);
  expect(ids()).toBe("c");
});

test("what has left the list is not selected, and with the last one the selection is over", () => {
  selection.selectAll(entries, true);
  selection.keepOnly([at(0), at(4)]);
  expect([ids(), selection.isAll.value]).toEqual(["ae", true]);
  selection.keepOnly([]);
  expect([selection.count.value, selection.isAll.value]).toEqual([0, false]);
});

test("where everything is loaded, all rows are selected one by one: that works without a connection", () => {
  selection.selectAll(entries, false);
  expect([ids(), selection.isAll.value]).toEqual(["abcde", false]);
});
