import { isWithin } from "@/device/decisions";
import type { Entry, Kind, Status } from "./types";

export const SORTS = ["newest", "oldest", "longest", "shortest", "title", "recently_read"] as const;
export type Sort = (typeof SORTS)[number];
/** Entries that are not archived, that are archived, or both. */
export const ARCHIVE_FILTERS = ["inbox", "archive", "all"] as const;
export type ArchiveFilter = (typeof ARCHIVE_FILTERS)[number];

export interface Filters {
  kind: Kind | null;
  status: Status | null;
  unread: boolean;
  starred: boolean;
  /** Null: the default of these filters, see `archiveFilterOf`. */
  archive: ArchiveFilter | null;
  /** All of them; a tag includes those below it. */
  tags: string[];
  untagged: boolean;
  /** Only what the user has marked something in. */
  highlighted: boolean;
  site: string | null;
  minMinutes: number | null;
  maxMinutes: number | null;
  sort: Sort;
  /** Whether a search shows the newest first instead of the best. */
  byDate: boolean;
}

export interface Search extends Filters {
  q: string;
}

export const NO_FILTERS: Filters = {
  kind: null,
  status: null,
  unread: false,
  starred: false,
  archive: null,
  tags: [],
  untagged: false,
  highlighted: false,
  site: null,
  minMinutes: null,
  maxMinutes: null,
  sort: "newest",
  byDate: false,
};

/** What is looked for is looked for everywhere; else the library is the Inbox. */
const looksFor = ({ kind, status, starred, tags, untagged, highlighted, site }: Filters) =>
  Boolean(kind || status || starred || tags.length || untagged || highlighted || site);

export const archiveFilterOf = (search: Filters & { q?: string }): ArchiveFilter =>
  search.archive ?? (search.q || looksFor(search) ? "all" : "inbox");

/** Whether anything is left out, apart from what the default of `archive` leaves out. */
export const hasFilter = (filters: Filters) =>
  looksFor(filters) || filters.unread || hasLength(filters) || filters.archive !== null;

export const hasLength = ({ minMinutes, maxMinutes }: Filters) => minMinutes !== null || maxMinutes !== null;

const ARCHIVED = { inbox: "false", archive: "true", all: "any" } as const;

/** As the API names them; what is not asked for is left out. */
export const wireFilters = (search: Filters & { q?: string }) => ({
  ...(search.kind ? { kind: search.kind } : {}),
  ...(search.status ? { status: search.status } : {}),
  ...(search.unread ? { unread: true } : {}),
  ...(search.starred ? { starred: true } : {}),
  archived: ARCHIVED[archiveFilterOf(search)],
  ...(search.tags.length ? { tag: search.tags } : {}),
  ...(search.untagged ? { untagged: true } : {}),
  ...(search.highlighted ? { highlighted: true } : {}),
  ...(search.site ? { site: search.site } : {}),
  ...(search.minMinutes !== null ? { min_minutes: search.minMinutes } : {}),
  ...(search.maxMinutes !== null ? { max_minutes: search.maxMinutes } : {}),
  ...(search.q ? { q: search.q } : {}),
});

/** Ready to read, and not read yet. */
export const isUnread = (entry: Entry) => entry.status === "succeeded" && entry.read_at === null;

const hasArchiveState = (entry: Entry, archive: ArchiveFilter) =>
  archive === "all" || (entry.archived_at !== null) === (archive === "archive");

const hasTags = (entry: Entry, tags: string[]) => tags.every((tag) => entry.tags.some((one) => isWithin(one, tag)));

/** As the server reads what was typed: of a whole address the host, without "www.". */
export const siteOf = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .replace(/^[^/]*:\/\//, "")
    .replace(/\/.*$/, "")
    .replace(/^www\./, "");

function isAsLong({ reading_minutes: minutes }: Entry, { minMinutes, maxMinutes }: Filters): boolean {
  if (minMinutes === null && maxMinutes === null) return true;
  return minutes !== null && minutes >= (minMinutes ?? 0) && minutes <= (maxMinutes ?? Number.POSITIVE_INFINITY);
}

/** Whether a list with these filters has the entry; the server decides the same. */
export const isShown = (entry: Entry, filters: Filters & { q?: string }) =>
  (filters.kind === null || entry.kind === filters.kind) &&
  (filters.status === null || entry.status === filters.status) &&
  (!filters.unread || isUnread(entry)) &&
  (!filters.starred || entry.starred_at !== null) &&
  hasArchiveState(entry, archiveFilterOf(filters)) &&
  hasTags(entry, filters.tags) &&
  (!filters.untagged || entry.tags.length === 0) &&
  (!filters.highlighted || entry.highlight_count > 0) &&
  (filters.site === null || entry.site === filters.site) &&
  isAsLong(entry, filters);

const minutesOf = (entry: Entry) => entry.reading_minutes ?? 0;
const text = (a: string | null, b: string | null) => (a ?? "").localeCompare(b ?? "");
const ORDERS: Record<Sort, (a: Entry, b: Entry) => number> = {
  newest: () => 0,
  oldest: (a, b) => (a.created_at < b.created_at ? -1 : 1),
  longest: (a, b) => minutesOf(b) - minutesOf(a),
  shortest: (a, b) => minutesOf(a) - minutesOf(b),
  title: (a, b) => text(a.title, b.title),
  recently_read: (a, b) => text(b.last_read_at, a.last_read_at),
};

/** About as the server sorts: good enough to show an entry until the list is loaded again. */
export const comparing = (sort: Sort) => (a: Entry, b: Entry) =>
  ORDERS[sort](a, b) || (a.created_at > b.created_at ? -1 : 1);
