import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/vue-query";
import { computed, type Ref, shallowRef } from "vue";
import { type Filters, fetchLibrary } from "@/api/library";
import type { Entry } from "@/api/types";
import { type Pages, withEvent, withHead, without } from "./library-pages";
import type { ItemEvent } from "./useEvents";
import { useOutbox } from "./useOutbox";

const LIBRARY = "library";
const TOGETHER_MS = 250;
/** Deleted here, not yet on the server: hidden until the undo has passed. */
const hidden = shallowRef<ReadonlySet<string>>(new Set());

export function useLibrary(filters: Ref<Filters>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => [LIBRARY, filters.value] as const),
    queryFn: ({ pageParam, signal }) => fetchLibrary(filters.value, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Events keep it fresh; a refetch would ask for every page that was scrolled through.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing and proxying every entry anew with each page took 150 ms after a few thousand.
    structuralSharing: false,
    shallow: true,
  });
  const entries = computed<Entry[]>(() =>
    (query.data.value?.pages ?? [])
      .flatMap((page) => page.entries)
      .filter((entry) => !hidden.value.has(entry.media_id) && !hidden.value.has(entry.item_id ?? "")),
  );
  const counts = computed(() => query.data.value?.pages[0]?.counts ?? null);
  return { query, entries, counts };
}

function each(client: QueryClient, change: (pages: Pages, filters: Filters) => Pages): void {
  for (const [key, pages] of client.getQueriesData<Pages>({ queryKey: [LIBRARY] })) {
    if (pages) client.setQueryData(key, change(pages, key[1] as Filters));
  }
}

/** What keeps every loaded list true: events, a fresh head, hiding. */
export function useLibraryUpdates() {
  const client = useQueryClient();
  const { settling } = useOutbox();
  let timer = 0;

  async function refreshNow(): Promise<void> {
    const settle = settling();
    const loaded = client.getQueriesData<Pages>({ queryKey: [LIBRARY] }).filter(([, pages]) => pages);
    for (const [key] of loaded) {
      const head = await fetchLibrary(key[1] as Filters, null);
      client.setQueryData<Pages>(key, (old) => (old ? withHead(old, head) : old));
    }
    if (loaded.length > 0) settle();
  }

  /** Many events come together when many links were saved; they cost one question. */
  function refresh(): void {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      refreshNow().catch(() => {}); // shown by the status bar; the next event or reconnect asks again
    }, TOGETHER_MS);
  }

  return {
    refresh,
    applyEvent: (event: ItemEvent) => each(client, (pages, filters) => withEvent(pages, event, filters)),
    applyRemoved: (id: string) => each(client, (pages) => without(pages, id)),
    hide: (id: string) => {
      hidden.value = new Set([...hidden.value, id]);
    },
    unhide: (id: string) => {
      hidden.value = new Set([...hidden.value].filter((one) => one !== id));
    },
  };
}
