import type { InfiniteData } from "@tanstack/vue-query";
import type { Entry, LibraryPage } from "@/api/types";
import type { ItemEvent } from "@/composables/useEvents";
import { comparing, type Filters, isShown } from "./filters";

/** `end`: the last entry it was loaded with, also when that has left the list since. */
type LoadedPage = LibraryPage & { end?: Entry };
export type Pages = InfiniteData<LoadedPage, string | null>;

export const keyOf = (entry: Entry) => entry.item_id ?? entry.media_id;

const isSame = (a: Entry, b: Entry) => a.media_id === b.media_id || (a.item_id !== null && a.item_id === b.item_id);

/** Merges a fresh first page of the newest: new entries on top, changed ones replaced, the rest kept. */
export function withHead(pages: Pages, head: LibraryPage): Pages {
  if (head.next_cursor === null) return { pages: [head], pageParams: [null] };
  const last = head.entries.at(-1);
  const isOlder = (entry: Entry) => last === undefined || entry.created_at <= last.created_at;
  const staysInList = (entry: Entry) => isOlder(entry) && !head.entries.some((fresh) => isSame(fresh, entry));
  const kept = pages.pages.map((page) => ({ ...page, counts: head.counts, entries: page.entries.filter(staysInList) }));
  const first = kept[0];
  if (!first) return { pages: [head], pageParams: [null] };
  return { ...pages, pages: [{ ...first, entries: [...head.entries, ...first.entries] }, ...kept.slice(1)] };
}

/** The entry as an event says it is; itself where the event is about another one. */
export function afterEvent(entry: Entry, event: ItemEvent): Entry {
  if (entry.item_id !== event.item_id) return entry;
  return {
    ...entry,
    media_id: event.media_id,
    status: event.status as Entry["status"],
    status_detail: event.status_detail,
    title: entry.own_title ?? event.title ?? entry.title,
    can_read: entry.can_read || event.status === "succeeded",
    updated_at: event.updated_at,
  };
}

/** Applies an event; an entry whose status the filter does not show is removed. */
export function withEvent(pages: Pages, event: ItemEvent, filters: Filters): Pages {
  const changed = (entries: Entry[]) => entries.map((entry) => afterEvent(entry, event));
  return mapEntries(pages, (entries) => changed(entries).filter((entry) => isShown(entry, filters)));
}

/** Changes the entries that are loaded; those that the filters no longer show are removed. */
export function withChange(pages: Pages, filters: Filters, change: (entry: Entry) => Entry): Pages {
  return mapEntries(pages, (entries) =>
    entries.flatMap((entry) => {
      const now = change(entry);
      return now === entry || isShown(now, filters) ? [now] : [];
    }),
  );
}

/** Puts entries where they belong: also those that were not in this list before. */
export function withEntries(pages: Pages, filters: Filters, entries: Entry[]): Pages {
  const fresh = new Map(entries.map((entry) => [entry.media_id, entry]));
  const known = new Set(pages.pages.flatMap((page) => page.entries.map((entry) => entry.media_id)));
  const changed = withChange(pages, filters, (entry) => fresh.get(entry.media_id) ?? entry);
  return entries
    .filter((entry) => !known.has(entry.media_id) && isShown(entry, filters))
    .reduce((now, entry) => insert(now, filters, entry), changed);
}

/** Below the end of the last page it is left out: it comes with the next one. */
function insert(pages: Pages, filters: Filters, entry: Entry): Pages {
  const compare = comparing(filters.sort);
  const isBefore = (other: Entry) => compare(entry, other) < 0;
  const last = pages.pages.length - 1;
  const found = pages.pages.findIndex((page) => page.entries.some(isBefore));
  if (found < 0 && isBelow(pages.pages[last], entry, compare)) return pages;
  const target = found < 0 ? last : found;
  const place = (page: LoadedPage) => {
    const at = page.entries.findIndex(isBefore);
    const index = at < 0 ? page.entries.length : at;
    return { ...page, entries: [...page.entries.slice(0, index), entry, ...page.entries.slice(index)] };
  };
  return { ...pages, pages: pages.pages.map((page, index) => (index === target ? place(page) : page)) };
}

function isBelow(page: LoadedPage | undefined, entry: Entry, compare: (a: Entry, b: Entry) => number): boolean {
  const end = page?.end ?? page?.entries.at(-1);
  return Boolean(page?.next_cursor && end && !isSame(end, entry) && compare(entry, end) > 0);
}

/** By the id of its item or of its media: an episode has no item. */
export const hasId = (entry: Entry, id: string) => entry.item_id === id || entry.media_id === id;

export function without(pages: Pages, id: string): Pages {
  return mapEntries(pages, (entries) => entries.filter((entry) => !hasId(entry, id)));
}

function mapEntries(pages: Pages, change: (entries: Entry[]) => Entry[]): Pages {
  const changed = (page: LoadedPage): LoadedPage => {
    const end = page.end ?? page.entries.at(-1);
    return { ...page, entries: change(page.entries), ...(end ? { end } : {}) };
  };
  return { ...pages, pages: pages.pages.map(changed) };
}
