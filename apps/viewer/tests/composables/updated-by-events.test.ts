import { expect, test } from "vitest";
import { isUpdatedByEvents } from "../../src/composables/updated-by-events";
import { ALL_HIGHLIGHTS, REVIEW } from "../../src/highlights/all/updates";

test("what events keep up to date is requested again once they come, the lists of highlights with it", () => {
  const names = ["receipt", "media", "entry", "read", "highlights", ALL_HIGHLIGHTS, REVIEW, "tags", "saved-searches"];
  expect(names.filter((name) => !isUpdatedByEvents({ queryKey: [name, "x"] }))).toEqual([]);
  expect(isUpdatedByEvents({ queryKey: ["library"] })).toBe(false); // which is merged into instead
});
