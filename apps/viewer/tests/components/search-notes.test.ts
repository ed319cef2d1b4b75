import { afterEach, expect, test } from "vitest";
import type { SearchPage } from "../../src/api/types";
import SearchNotes from "../../src/components/library/search/SearchNotes.vue";
import { render } from "./render";

const PAGE = {
  hits: [],
  total: 2,
  total_is_about: true,
  corrected: {},
  facets: null,
  next_cursor: null,
  index: { state: "building", done: 1200, total: 4000 },
} as unknown as SearchPage;
let unmount = () => {};
afterEach(() => unmount());

async function shown(page: SearchPage): Promise<string> {
  const made = await render(SearchNotes, { page, q: "ship" });
  unmount = made.unmount;
  return made.root.textContent ?? "";
}

test("an index that is being built says how far it is", async () => {
  expect(await shown(PAGE)).toContain("1,200 of 4,000 items can be found so far");
});

test("one that is ready says nothing", async () => {
  expect(await shown({ ...PAGE, index: { state: "ready", done: 4000, total: 4000 } } as SearchPage)).not.toContain(
    "items",
  );
});
