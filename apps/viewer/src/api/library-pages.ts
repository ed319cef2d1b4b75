import type { InfiniteData } from "@tanstack/vue-query";
import type { Filters } from "@/api/library";
import type { Entry, LibraryPage } from "@/api/types";
import type { ItemEvent } from "@/composables/useEvents";

export type Pages = InfiniteData<LibraryPage, string | null>;

export const keyOf = (entry: Entry) => entry.item_id ?? entry.media_id;

const isSame = (a: Entry, b: Entry) => a.media_id === b.media_id || (a.item_id !== null && a.item_id === b.item_id);

/** Merges a fresh first page: new entries on top, changed ones replaced, the rest kept. */
export function withHead(pages: Pages, head: LibraryPage): Pages {
  if (head.next_cursor === null) return { pages: [head], pageParams: [null] };
  const last = head.entries.at(-1);
  const isOlder = (entry: Entry) => last === undefined || entry.created_at <= last.created_at;
  const isKept = (entry: Entry) => isOlder(entry) && !head.entries.some((fresh) => isSame(fresh, entry));
  const kept = pages.pages.map((page) => ({ ...page, counts: head.counts, entries: page.entries.filter(isKept) }));
  const first = kept[0];
  if (!first) return { pages: [head], pageParams: [null] };
  return { ...pages, pages: [{ ...first, entries: [...head.entries, ...first.entries] }, ...kept.slice(1)] };
}

/** Applies an event; an entry whose status the filter does not show is removed. */
export function withEvent(pages: Pages, event: ItemEvent, filters: Filters): Pages {
  const patch = (entry: Entry): Entry =>
    entry.item_id !== event.item_id
      ? entry
      : {
          ...entry,
          media_id: event.media_id,
          status: event.status as Entry["status"],
          status_detail: event.status_detail,
          title: event.title ?? entry.title,
          can_read: entry.can_read || event.status === "succeeded",
          updated_at: event.updated_at,
        };
  return mapEntries(pages, (entries) => entries.map(patch).filter((entry) => isShown(entry, filters)));
}

/** Ready to read, and not read yet. */
export const isUnread = (entry: Entry) => entry.status === "succeeded" && entry.read_at === null;

export const isShown = (entry: Entry, filters: Filters) =>
  (filters.status === null || entry.status === filters.status) && (!filters.unread || isUnread(entry));

export const withReadAt = (entry: Entry, mediaId: string, readAt: string | null): Entry =>
  entry.media_id === mediaId ? { ...entry, read_at: readAt } : entry;

/** What was read leaves the list of the unread. */
export function withRead(pages: Pages, mediaId: string, readAt: string | null, filters: Filters): Pages {
  return mapEntries(pages, (entries) =>
    entries.map((entry) => withReadAt(entry, mediaId, readAt)).filter((entry) => isShown(entry, filters)),
  );
}

/** By the id of its item or of its media: an episode has no item. */
export const hasId = (entry: Entry, id: string) => entry.item_id === id || entry.media_id === id;

export function without(pages: Pages, id: string): Pages {
  return mapEntries(pages, (entries) => entries.filter((entry) => !hasId(entry, id)));
}

function mapEntries(pages: Pages, change: (entries: Entry[]) => Entry[]): Pages {
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, entries: change(page.entries) })) };
}
