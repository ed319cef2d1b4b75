import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed } from "vue";
import { fetchSavedSearches, fetchTags } from "@/api/tags";
import type { SavedSearch, Tag } from "@/api/types";
import { folded } from "@/device/decisions";
import { requestAgain } from "../request-again";

/** Events keep them fresh. */
const FRESH = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

export function useTags() {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: ["tags"], queryFn: fetchTags, ...FRESH });
  const tags = computed<Tag[]>(() => data.value ?? []);
  const colors = computed(() => new Map(tags.value.map((tag) => [folded(tag.name), tag.color])));
  return {
    tags,
    colorOf: (name: string) => colors.value.get(folded(name)) ?? null,
    refresh: () => client.invalidateQueries({ queryKey: ["tags"] }),
  };
}

/** Many changes come together, and to count what the searches find takes long. */
const BATCH_MS = 300;
let timer = 0;

/** After a change of tags, or of entries, which both are counted by. */
export function useTagUpdates() {
  const client = useQueryClient();
  return (): void => {
    if (timer) return;
    timer = window.setTimeout(() => {
      timer = 0;
      for (const key of ["tags", "saved-searches"]) void requestAgain(client, { queryKey: [key] });
    }, BATCH_MS);
  };
}

export function useSavedSearches() {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: ["saved-searches"], queryFn: fetchSavedSearches, ...FRESH });
  return {
    searches: computed<SavedSearch[]>(() => data.value ?? []),
    refresh: () => client.invalidateQueries({ queryKey: ["saved-searches"] }),
  };
}
