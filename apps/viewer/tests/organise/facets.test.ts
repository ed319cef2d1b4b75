import { expect, test } from "vitest";
import { NO_FILTERS } from "@/api/filters";
import { choicesOf } from "@/components/library/search/facets";

const SEARCH = { ...NO_FILTERS, q: "comet" };
const FACETS = {
  kind: [
    { value: "web_article", count: 3 },
    { value: "podcast_episode", count: 1 },
  ],
  site: [{ value: "example.org", count: 3 }],
  tag: [{ value: "Sky", count: 2 }],
  year: [
    { value: "2025", count: 3 },
    { value: "2024", count: 1 },
  ],
};

const narrowed = (search = SEARCH) =>
  Object.fromEntries(choicesOf(search, FACETS).map(({ name, choices }) => [name, choices[0]?.narrowed]));

test("results can be narrowed by what tells them apart", () => {
  expect(narrowed()).toEqual({
    kind: { ...SEARCH, kind: "web_article" },
    tag: { ...SEARCH, tags: ["Sky"] },
    year: { ...SEARCH, q: "comet after:2025 before:2026 " },
  });
});

test("nothing is offered that the search is narrowed by already", () => {
  expect(narrowed({ ...SEARCH, kind: "web_article", tags: ["sky"], q: "comet after:2024" })).toEqual({});
});
