import { archiveFilterOf, type Filters, hasFilter, type Search, wireFilters } from "@/api/filters";
import type { SavedSearch } from "@/api/types";
import { addressOf, filtersIn } from "./address";

const ARCHIVE = { false: "inbox", true: "archive", any: "all" } as const;
const flag = (value: unknown) => (value === true || value === "true" ? "1" : "");
const list = (value: unknown) => [value ?? []].flat().map(String);

/** As the server keeps it: by the names of the API. */
export function wireSearch(search: Search): Pick<SavedSearch, "query" | "sort"> {
  const found = search.byDate ? "newest" : "relevance";
  return { query: wireFilters(search), sort: search.q ? found : search.sort };
}

export function searchOf({ query, sort }: Pick<SavedSearch, "query" | "sort">): Search {
  const wire = query as Record<string, unknown>;
  const one = (name: string) => (wire[name] === undefined || wire[name] === null ? "" : String(wire[name]));
  const q = one("q");
  const filters = filtersIn({
    kind: one("kind"),
    status: one("status"),
    unread: flag(wire.unread),
    starred: flag(wire.starred),
    tag: list(wire.tag),
    untagged: flag(wire.untagged),
    highlighted: flag(wire.highlighted),
    site: one("site"),
    min: one("min_minutes"),
    max: one("max_minutes"),
    in: ARCHIVE[one("archived") as keyof typeof ARCHIVE] ?? "",
    sort: q ? "" : String(sort),
    by: q && sort === "newest" ? "date" : "",
  });
  return { ...shortened(filters, q), q };
}

/** What is the default of the other filters is left out of the address. */
function shortened(filters: Filters, q: string): Filters {
  const implied = archiveFilterOf({ ...filters, archive: null, q });
  return filters.archive === implied ? { ...filters, archive: null } : filters;
}

const addressed = (search: Search) => JSON.stringify(addressOf(shortened(search, search.q), search.q.trim()));

export const isSameSearch = (saved: SavedSearch, search: Search) => addressed(searchOf(saved)) === addressed(search);

export const canSave = (search: Search) => search.q.trim() !== "" || hasFilter(search);
