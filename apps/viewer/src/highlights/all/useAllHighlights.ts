import { useInfiniteQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";
import { fetchAllHighlights, type HighlightSearch, type ListedHighlight } from "@/api/highlights";
import { highlightQueue } from "../highlight-queue";
import { changed } from "../useHighlights";
import { ALL_HIGHLIGHTS } from "./updates";

/** The highlights of all texts, page by page, with what the server does not know yet. */
export function useAllHighlights(search: Ref<HighlightSearch>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => [ALL_HIGHLIGHTS, search.value] as const),
    queryFn: ({ pageParam, signal }) => fetchAllHighlights(search.value, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Events keep it fresh; a refetch loads every page that was scrolled through.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    structuralSharing: false,
    shallow: true,
  });
  const highlights = computed<ListedHighlight[]>(() => {
    void changed.value;
    // A page that is loaded later may begin with what was already there, when something was added in between.
    const byId = new Map(
      (query.data.value?.pages ?? []).flatMap((page) => page.highlights).map((one) => [one.id, one]),
    );
    return highlightQueue.withPendingInEach([...byId.values()]);
  });
  return { query, highlights };
}
