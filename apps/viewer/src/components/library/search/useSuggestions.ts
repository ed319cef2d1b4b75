import { useQuery } from "@tanstack/vue-query";
import { computed, onScopeDispose, type Ref, ref, watch } from "vue";
import { fetchSuggestions } from "@/api/library";
import { type Option, optionsFor } from "./options";
import { recentSearches } from "./recent-searches";

const TYPING_MS = 120;
const FRESH_MS = 60_000;

/** What the search box offers while one types; without a connection that is what was searched for before. */
export function useSuggestions(term: Ref<string>, isOpen: Ref<boolean>) {
  const asked = ref(term.value);
  let timer = 0;
  watch(term, (typed) => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      asked.value = typed;
    }, TYPING_MS);
  });
  onScopeDispose(() => window.clearTimeout(timer));
  const { data } = useQuery({
    queryKey: computed(() => ["suggestions", asked.value]),
    queryFn: ({ signal }) => fetchSuggestions(asked.value, signal),
    enabled: isOpen,
    staleTime: FRESH_MS,
    retry: false,
  });
  // Those of a moment ago complete another word.
  const suggestions = computed(() => (asked.value === term.value ? (data.value ?? []) : []));
  return computed<Option[]>(() => optionsFor(term.value, recentSearches.value, suggestions.value));
}
