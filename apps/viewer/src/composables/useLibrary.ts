import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref, shallowRef } from "vue";
import { ApiError } from "@/api/errors";
import { type Filters, fetchHits, fetchLibrary, type Search } from "@/api/library";
import { hasId, isShown, type Pages, withEvent, withHead, without, withRead, withReadAt } from "@/api/library-pages";
import type { Entry, Hit, LibraryPage, SearchPage } from "@/api/types";
import { readQueue } from "@/device/read-queue";
import type { ItemEvent } from "./useEvents";
import { useOutbox } from "./useOutbox";

const LIBRARY = "library";
const SEARCH = "search";
const TOGETHER_MS = 250;
const AGAIN_MS = 5000;
/** Deleted here, not yet on the server: hidden while it can be undone. */
const hidden = shallowRef<ReadonlySet<string>>(new Set());

/** With read marks that are not on the server yet. */
async function fetchPage(filters: Filters, cursor: string | null, signal?: AbortSignal): Promise<LibraryPage> {
  const page = await fetchLibrary(filters, cursor, signal);
  return { ...page, entries: page.entries.map(readQueue.over).filter((entry) => isShown(entry, filters)) };
}

async function fetchHitPage(search: Search, cursor: string | null, signal: AbortSignal): Promise<SearchPage> {
  const page = await fetchHits(search, cursor, signal);
  return { ...page, hits: shownHits(page.hits, search, readQueue.over) };
}

const shownHits = (hits: Hit[], search: Search, change: (entry: Entry) => Entry) =>
  hits.map((hit) => ({ ...hit, entry: change(hit.entry) })).filter((hit) => isShown(hit.entry, search));

export function useLibrary(filters: Ref<Filters>) {
  const { settling } = useOutbox();
  const query = useInfiniteQuery({
    queryKey: computed(() => [LIBRARY, filters.value] as const),
    queryFn: async ({ pageParam, signal }) => {
      const settle = settling();
      const page = await fetchPage(filters.value, pageParam, signal);
      if (pageParam === null) settle();
      return page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Events keep it fresh; a refetch would load every page that was scrolled through.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing and proxying every entry anew with each page took 150 ms after a few thousand.
    structuralSharing: false,
    shallow: true,
  });
  const entries = computed<Entry[]>(() =>
    (query.data.value?.pages ?? []).flatMap((page) => page.entries).filter(isThere),
  );
  const counts = computed(() => query.data.value?.pages[0]?.counts ?? null);
  return { query, entries, counts };
}

const isThere = (entry: Entry) => !hidden.value.has(entry.media_id) && !hidden.value.has(entry.item_id ?? "");

/** The results of `search`; no request while it is empty. */
export function useSearch(search: Ref<Search>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => [SEARCH, search.value] as const),
    queryFn: ({ pageParam, signal }) => fetchHitPage(search.value, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: () => search.value.q !== "",
    // The last results stay while the next ones are loaded.
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
  });
  const hits = computed<Hit[]>(() =>
    (query.data.value?.pages ?? []).flatMap((page) => page.hits).filter((hit) => isThere(hit.entry)),
  );
  return { query, hits, total: computed(() => query.data.value?.pages[0]?.total ?? 0) };
}

type FoundPages = InfiniteData<SearchPage, string | null>;

function eachHit(client: QueryClient, change: (hits: Hit[], search: Search) => Hit[]): void {
  for (const [key, found] of client.getQueriesData<FoundPages>({ queryKey: [SEARCH] })) {
    const pages = found?.pages.map((page) => ({ ...page, hits: change(page.hits, key[1] as Search) }));
    if (found && pages) client.setQueryData(key, { ...found, pages });
  }
}

function each(client: QueryClient, change: (pages: Pages, filters: Filters) => Pages): void {
  for (const [key, pages] of client.getQueriesData<Pages>({ queryKey: [LIBRARY] })) {
    if (pages) client.setQueryData(key, change(pages, key[1] as Filters));
  }
}

/** Keeps the loaded lists up to date: events, a fresh first page, hidden entries. */
export function useLibraryUpdates() {
  const client = useQueryClient();
  const { settling } = useOutbox();
  let timer = 0;

  async function refreshNow(): Promise<void> {
    const settle = settling();
    const lists = client.getQueryCache().findAll({ queryKey: [LIBRARY] });
    for (const { queryKey, state } of lists) {
      if (state.data === undefined) {
        // It could not be loaded before, such as on a start without a connection.
        await client.refetchQueries({ queryKey, exact: true, type: "active" }, { throwOnError: true });
      } else {
        const head = await fetchPage(queryKey[1] as Filters, null);
        client.setQueryData<Pages>(queryKey, (old) => (old ? withHead(old, head) : old));
      }
    }
    if (lists.some(({ queryKey }) => client.getQueryData(queryKey) !== undefined)) settle();
  }

  /** Many events come together when many links were saved; they cost one request. */
  function refresh(afterMs = TOGETHER_MS): void {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      refreshNow().catch((error) => {
        // No event may come that would refresh again. After a sign-out or another sign-in the page is being left.
        if (error instanceof ApiError && error.isTemporary) refresh(AGAIN_MS);
      });
    }, afterMs);
  }

  return {
    refresh: () => refresh(),
    applyEvent: (event: ItemEvent) => each(client, (pages, filters) => withEvent(pages, event, filters)),
    applyRemoved: (id: string) => {
      each(client, (pages) => without(pages, id));
      eachHit(client, (hits) => hits.filter((hit) => !hasId(hit.entry, id)));
    },
    applyRead: (mediaId: string, readAt: string | null) => {
      each(client, (pages, filters) => withRead(pages, mediaId, readAt, filters));
      eachHit(client, (hits, search) => shownHits(hits, search, (entry) => withReadAt(entry, mediaId, readAt)));
      client.setQueryData(["read", mediaId], readAt);
    },
    hide: (id: string) => {
      hidden.value = new Set([...hidden.value, id]);
    },
    unhide: (id: string) => {
      hidden.value = new Set([...hidden.value].filter((one) => one !== id));
    },
  };
}
