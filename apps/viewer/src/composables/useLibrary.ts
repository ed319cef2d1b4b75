import {
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/vue-query";
import { computed, type Ref, shallowRef, watch } from "vue";
import { ApiError } from "@/api/errors";
import { type Filters, isShown, type Search } from "@/api/filters";
import { fetchHits, fetchLibrary } from "@/api/library";
import {
  afterEvent,
  hasId,
  type Pages,
  withChange,
  withEntries,
  withEvent,
  withHead,
  without,
} from "@/api/library-pages";
import type { Entry, Hit, LibraryPage, SearchPage } from "@/api/types";
import { lazyModule } from "@/components/ui/lazy";
import { actionQueue } from "@/device/action-queue";
import { fetchCurrent } from "@/device/fetch-current";
import { deviceUser } from "@/device/user";
import { requestAgain } from "./request-again";
import type { ItemEvent } from "./useEvents";
import { useOutbox } from "./useOutbox";

const loadSearch = lazyModule(() => import("@/offline/search-kept"));
const LIBRARY = "library";
const SEARCH = "search";
const BATCH_MS = 250;
const AGAIN_MS = 5000;
/** How long the server takes to make what was saved findable. */
const INDEXED_MS = 1000;
const BUILDING_MS = 1000;
/** Deleted here, not yet on the server: hidden while it can be undone. */
const hidden = shallowRef<ReadonlySet<string>>(new Set());

/** What a kept response of an earlier version lacks. */
const EARLIER = {
  highlight_count: 0,
  archived_at: null,
  starred_at: null,
  own_title: null,
  note: null,
  tags: [] as string[],
};

/** With what is not on the server yet. */
const current = (entries: Entry[]) => actionQueue.withPending(entries.map((entry) => ({ ...EARLIER, ...entry })));

/** Not the pages below: what changes while one is loading is applied to it once it is there (`update`). */
const fetchFirstCurrent = <T>(cursor: string | null, request: () => Promise<T>) =>
  cursor === null ? fetchCurrent(request) : request();

async function fetchPage(filters: Filters, cursor: string | null, signal?: AbortSignal): Promise<LibraryPage> {
  const page = await fetchFirstCurrent(cursor, () => fetchLibrary(filters, cursor, signal ? { signal } : {}));
  return { ...page, entries: current(page.entries).filter((entry) => isShown(entry, filters)) };
}

async function fetchHitPage(search: Search, cursor: string | null, signal: AbortSignal): Promise<SearchPage> {
  const page: SearchPage = await fetchFirstCurrent(cursor, () => fetchHits(search, cursor, signal)).catch((error) => {
    // What is kept is a list of its own: after pages of the server it would repeat them.
    if (cursor !== null) throw error;
    return findKept(error, search);
  });
  const entries = new Map(current(page.hits.map((hit) => hit.entry)).map((entry) => [entry.media_id, entry]));
  return { ...page, hits: shownHits(page.hits, search, (entry) => entries.get(entry.media_id) ?? null) };
}

/** Without a connection what this browser keeps is searched; where it cannot be, the search fails as it did. */
async function findKept(error: unknown, search: Search): Promise<SearchPage> {
  const isOffline = error instanceof ApiError && error.isOffline;
  if (!isOffline || !deviceUser.value) throw error;
  const module = await loadSearch().catch(() => null); // without a connection, and the page was not open for long
  const hits = module && (await module.searchKept(deviceUser.value, search));
  if (!hits) throw error;
  const index = { state: "ready" as const, done: hits.length, total: hits.length };
  const whole = { total: hits.length, total_is_about: false, corrected: {}, facets: null, next_cursor: null };
  return { ...whole, hits, index, isFromBrowser: true };
}

/** `change` says null for what is deleted. */
const shownHits = (hits: Hit[], search: Search, change: (entry: Entry) => Entry | null) =>
  hits.flatMap((hit) => {
    const entry = change(hit.entry);
    return entry && isShown(entry, search) ? [{ ...hit, entry }] : [];
  });

export function useLibrary(filters: Ref<Filters>) {
  const { outgoing, forgetSentAfterLoad, dropListed } = useOutbox();
  const query = useInfiniteQuery({
    queryKey: computed(() => [LIBRARY, filters.value] as const),
    queryFn: async ({ pageParam, signal }) => {
      const forgetSent = forgetSentAfterLoad();
      const page = await fetchPage(filters.value, pageParam, signal);
      if (pageParam === null) forgetSent();
      return page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Events keep it fresh; a refetch would load every page that was scrolled through.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing and proxying every entry again with each page took 150 ms after a few thousand.
    structuralSharing: false,
    shallow: true,
  });
  const loaded = computed<Entry[]>(() => (query.data.value?.pages ?? []).flatMap((page) => page.entries));
  const entries = computed<Entry[]>(() => loaded.value.filter(isThere));
  watch([loaded, outgoing], () => dropListed(loaded.value));
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
    // More can be found by and by.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.index.state === "building" ? BUILDING_MS : false),
  });
  const hits = computed<Hit[]>(() =>
    (query.data.value?.pages ?? []).flatMap((page) => page.hits).filter((hit) => isThere(hit.entry)),
  );
  const first = computed(() => query.data.value?.pages[0] ?? null);
  return { query, hits, first, total: computed(() => first.value?.total ?? 0) };
}

type FoundPages = InfiniteData<SearchPage, string | null>;

/**
 * Once more after a request that is under way: the next page comes with the ones above it as they were when it was
 * requested. Where the request is cancelled, TanStack restores the data as it was changed here last, but not that it is
 * to be loaded again.
 */
function update<Data>(client: QueryClient, query: Query, change: (data: Data) => Data): void {
  const apply = () => {
    const { isInvalidated } = query.state;
    client.setQueryData<Data>(query.queryKey, (old) => (old ? change(old) : old));
    if (isInvalidated) query.invalidate(); // the rest of it is as old as it was
  };
  const { isInvalidated } = query.state;
  apply();
  if (query.state.fetchStatus === "idle") return;
  query.promise?.then(apply, () => {
    if (isInvalidated) query.invalidate(); // whoever shows the list says what failed
  });
}

function eachHit(client: QueryClient, change: (hits: Hit[], search: Search) => Hit[]): void {
  for (const query of client.getQueryCache().findAll({ queryKey: [SEARCH] })) {
    const changed = (page: SearchPage) => ({ ...page, hits: change(page.hits, query.queryKey[1] as Search) });
    update<FoundPages>(client, query, (found) => ({ ...found, pages: found.pages.map(changed) }));
  }
}

function each(client: QueryClient, change: (pages: Pages, filters: Filters) => Pages): void {
  for (const query of client.getQueryCache().findAll({ queryKey: [LIBRARY] })) {
    update<Pages>(client, query, (pages) => change(pages, query.queryKey[1] as Filters));
  }
}

/** Those that `useEntry` shows. */
function eachEntry(client: QueryClient, queryKey: QueryKey, change: (entry: Entry) => Entry): void {
  for (const query of client.getQueryCache().findAll({ queryKey })) update<Entry>(client, query, change);
}

/** A fresh first page is merged into the newest; other orders have no place for what is new, and are loaded again. */
async function refreshList(client: QueryClient, query: Query, isWhole: boolean): Promise<void> {
  const { queryKey } = query;
  const filters = queryKey[1] as Filters;
  // A first request may have been read before what is to be shown, and refetching would only wait for it.
  if (query.state.data === undefined) await query.promise?.catch(() => {});
  if (isWhole || query.state.data === undefined || filters.sort !== "newest") {
    await client.refetchQueries({ queryKey, exact: true, type: "active" }, { throwOnError: true });
  } else {
    const head = await fetchPage(filters, null);
    update<Pages>(client, query, (pages) => withHead(pages, head));
  }
}

let searchTimer = 0;
/** What is new is found a moment after the list has it. */
function searchAgain(client: QueryClient): void {
  window.clearTimeout(searchTimer);
  searchTimer = window.setTimeout(() => void requestAgain(client, { queryKey: [SEARCH] }), INDEXED_MS);
}

let timer = 0;
let isWholeNext = false;
/** One after the other: an older response must not come last. */
let refreshing: Promise<unknown> = Promise.resolve();

/** Keeps the loaded lists up to date: events, a fresh first page, hidden entries. */
export function useLibraryUpdates() {
  const client = useQueryClient();
  const { forgetSentAfterLoad } = useOutbox();

  function refreshNow(isWhole: boolean): Promise<void> {
    const next = refreshing.then(() => refreshAll(isWhole));
    refreshing = next.catch(() => {});
    return next;
  }

  async function refreshAll(isWhole: boolean): Promise<void> {
    const forgetSent = forgetSentAfterLoad();
    const lists = client.getQueryCache().findAll({ queryKey: [LIBRARY] });
    // Those that are not shown are loaded again when they are.
    await client.invalidateQueries({ queryKey: [LIBRARY], type: "inactive", refetchType: "none" });
    for (const list of lists) if (list.isActive()) await refreshList(client, list, isWhole);
    if (isWhole) await requestAgain(client, { queryKey: [SEARCH] });
    else searchAgain(client);
    if (lists.some(({ queryKey }) => client.getQueryData(queryKey) !== undefined)) forgetSent();
  }

  /** Many events come together when many links were saved; they cost one request. */
  function refresh(isWhole = false, afterMs = BATCH_MS): void {
    isWholeNext ||= isWhole;
    if (timer) return;
    timer = window.setTimeout(() => {
      const wasWhole = isWholeNext;
      [timer, isWholeNext] = [0, false];
      refreshNow(wasWhole).catch((error) => {
        // No event may come that would refresh again. After a sign-out or another sign-in the page is being left.
        if (error instanceof ApiError && error.isTemporary) refresh(wasWhole, AGAIN_MS);
      });
    }, afterMs);
  }

  return {
    refresh: () => refresh(),
    /** Now, and until it is there or cannot be. */
    reload: () =>
      refreshNow(true).catch((error) => {
        if (error instanceof ApiError && error.isTemporary) refresh(true, AGAIN_MS);
      }),
    /** Loads all pages again that were loaded: many entries have changed, wherever they are. */
    refreshWhole: () => refresh(true),
    applyEvent: (event: ItemEvent) => {
      each(client, (pages, filters) => withEvent(pages, event, filters));
      eachEntry(client, ["entry"], (entry) => afterEvent(entry, event));
    },
    applyRemoved: (id: string) => {
      each(client, (pages) => without(pages, id));
      eachHit(client, (hits) => hits.filter((hit) => !hasId(hit.entry, id)));
    },
    applyRead: (mediaId: string, readAt: string | null) => {
      const mark = (entry: Entry) => (entry.media_id === mediaId ? { ...entry, read_at: readAt } : entry);
      each(client, (pages, filters) => withChange(pages, filters, mark));
      eachHit(client, (hits, search) => shownHits(hits, search, mark));
      eachEntry(client, ["entry", mediaId], mark);
      client.setQueryData(["read", mediaId], readAt);
    },
    /** Entries as they are now, in every list that they belong to. */
    applyEntries: (entries: Entry[]) => {
      const fresh = new Map(current(entries).map((entry) => [entry.media_id, entry]));
      each(client, (pages, filters) => withEntries(pages, filters, [...fresh.values()]));
      eachHit(client, (hits, search) => shownHits(hits, search, (entry) => fresh.get(entry.media_id) ?? entry));
      for (const entry of fresh.values()) {
        client.setQueryData(["entry", entry.media_id], entry);
        client.setQueryData(["read", entry.media_id], entry.read_at);
      }
    },
    isHidden: (id: string) => hidden.value.has(id),
    hide: (...ids: string[]) => {
      hidden.value = new Set([...hidden.value, ...ids]);
    },
    unhide: (...ids: string[]) => {
      const gone = new Set(ids);
      hidden.value = new Set([...hidden.value].filter((one) => !gone.has(one)));
    },
  };
}
