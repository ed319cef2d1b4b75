import { type ArchiveFilter, archiveFilterOf, type Filters, hasLength, NO_FILTERS } from "@/api/filters";
import { folded } from "@/device/decisions";
import * as texts from "@/texts";

export const VIEWS = ["inbox", "unread", "starred", "archive", "all"] as const;
export type View = (typeof VIEWS)[number];

/** A view of the library; a search and the order stay. A search looks everywhere unless told where. */
export function withView(filters: Filters, view: View, isSearching: boolean): Filters {
  const plain = { ...NO_FILTERS, sort: filters.sort };
  if (view === "unread") return { ...filters, status: null, unread: !filters.unread };
  if (view === "starred") return filters.starred ? plain : { ...plain, starred: true };
  const archive: Record<Exclude<View, "unread" | "starred">, ArchiveFilter | null> = {
    inbox: isSearching ? "inbox" : null,
    archive: "archive",
    all: isSearching ? null : "all",
  };
  return { ...plain, archive: archive[view] };
}

const isPlain = (filters: Filters) =>
  !filters.kind &&
  !filters.status &&
  !filters.tags.length &&
  !filters.untagged &&
  !filters.highlighted &&
  !filters.site;

/** The view that is shown; null: something narrower. */
export function viewOf(filters: Filters, q: string): View | null {
  if (!isPlain(filters)) return null;
  if (filters.starred) return "starred";
  if (filters.unread) return "unread";
  return archiveFilterOf({ ...filters, q });
}

export const hasTag = (filters: Filters, name: string) => filters.tags.some((one) => folded(one) === folded(name));

export const toggledTag = (filters: Filters, name: string): Filters => ({
  ...filters,
  untagged: false,
  tags: hasTag(filters, name) ? filters.tags.filter((one) => folded(one) !== folded(name)) : [...filters.tags, name],
});

/** From a view to one tag; a tag beside others when the user adds it. */
export const onlyTag = (filters: Filters, name: string): Filters => {
  const isOnly = hasTag(filters, name) && filters.tags.length === 1;
  return { ...NO_FILTERS, sort: filters.sort, tags: isOnly ? [] : [name] };
};

interface Chip {
  key: string;
  label: string;
  /** The filters without it. */
  without: Filters;
}

/** What is filtered, each with the filters that are left without it. */
export function chipsOf(filters: Filters): Chip[] {
  const words = texts.filters;
  const chips: (Chip | false)[] = [
    filters.archive !== null && {
      key: "archive",
      label: words.archive[filters.archive],
      without: { ...filters, archive: null },
    },
    filters.unread && { key: "unread", label: texts.library.unread, without: { ...filters, unread: false } },
    filters.starred && { key: "starred", label: words.starred, without: { ...filters, starred: false } },
    filters.kind !== null && { key: "kind", label: texts.kinds[filters.kind], without: { ...filters, kind: null } },
    filters.status !== null && {
      key: "status",
      label: texts.status[filters.status],
      without: { ...filters, status: null },
    },
    ...filters.tags.map((tag) => ({ key: `tag ${tag}`, label: words.tag(tag), without: toggledTag(filters, tag) })),
    filters.untagged && { key: "untagged", label: words.untagged, without: { ...filters, untagged: false } },
    filters.highlighted && {
      key: "highlighted",
      label: texts.highlighted.chip,
      without: { ...filters, highlighted: false },
    },
    filters.site !== null && { key: "site", label: filters.site, without: { ...filters, site: null } },
    hasLength(filters) && {
      key: "length",
      label: words.between(filters.minMinutes, filters.maxMinutes),
      without: { ...filters, minMinutes: null, maxMinutes: null },
    },
  ];
  return chips.filter((chip) => chip !== false);
}

/** The lengths to choose from. */
export const LENGTHS: [min: number | null, max: number | null][] = [
  [null, null],
  [null, 5],
  [5, 15],
  [15, 30],
  [30, null],
];
