import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { computed } from "vue";
import { fetchSavedSearches, fetchTags } from "@/api/tags";
import type { SavedSearch, Tag } from "@/api/types";
import { folded } from "@/device/decisions";

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

export function useSavedSearches() {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: ["saved-searches"], queryFn: fetchSavedSearches, ...FRESH });
  return {
    searches: computed<SavedSearch[]>(() => data.value ?? []),
    refresh: () => client.invalidateQueries({ queryKey: ["saved-searches"] }),
  };
}
