import { expect, test } from "vitest";
import { isKeptFresh } from "../../src/composables/kept-fresh";
import { ALL_HIGHLIGHTS, REVIEW } from "../../src/highlights/all/updates";

test("what events keep up to date is requested again once they come, the lists of highlights with it", () => {
  const names = ["receipt", "media", "entry", "read", "highlights", ALL_HIGHLIGHTS, REVIEW, "tags", "saved-searches"];
  expect(names.filter((name) => !isKeptFresh({ queryKey: [name, "x"] }))).toEqual([]);
  expect(isKeptFresh({ queryKey: ["library"] })).toBe(false); // which is merged into instead
});
