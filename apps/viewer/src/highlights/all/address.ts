import type { LocationQuery, LocationQueryRaw } from "vue-router";
import { HIGHLIGHT_SORTS, type Highlight, type HighlightFilters, type HighlightSearch } from "@/api/highlights";
import { highlightLink as linkInText } from "@/components/reader/versions/version-links";
import { COLORS } from "../paint";

export const NO_HIGHLIGHT_FILTERS: HighlightFilters = { q: "", color: null, tags: [] };

const all = (value: LocationQuery[string] | undefined) =>
  [value ?? []].flat().filter((one): one is string => typeof one === "string" && one.trim() !== "");

/** What an address asks for; what it says wrongly is not filtered. */
export function searchIn(query: LocationQuery): HighlightSearch {
  const [color, sort] = [all(query.color)[0], all(query.sort)[0]];
  return {
    q: all(query.q)[0] ?? "",
    color: COLORS.find((one) => one === color) ?? null,
    tags: all(query.tag),
    sort: HIGHLIGHT_SORTS.find((one) => one === sort) ?? "newest",
  };
}

export const addressOf = ({ q, color, tags, sort }: HighlightSearch): LocationQueryRaw => ({
  ...(q.trim() ? { q } : {}),
  ...(color ? { color } : {}),
  ...(tags.length ? { tag: tags } : {}),
  ...(sort === "newest" ? {} : { sort }),
});

export const isFiltered = ({ q, color, tags }: HighlightFilters) => Boolean(q.trim() || color || tags.length);

/** Where the reader shows it: the server's exports and its feed lead there, too. */
export const highlightLink = (highlight: Highlight) => ({
  name: "read",
  params: { mediaId: highlight.media_id },
  ...linkInText({ query: {} }, highlight),
});
