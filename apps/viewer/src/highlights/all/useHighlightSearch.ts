import { ref, shallowRef, watch } from "vue";
import { useRoute, useRouter } from "vue-router";
import type { HighlightSearch } from "@/api/highlights";
import { useTypedSearch } from "@/components/ui/useTypedSearch";
import { addressOf, searchIn } from "./address";

/** What the page shows is in its address, so that it can be kept, and Back restores it. */
export function useHighlightSearch() {
  const route = useRoute();
  const router = useRouter();
  const search = shallowRef<HighlightSearch>(searchIn(route.query));
  /** The text in the search box; `search.q` is what of it is in the address. */
  const term = ref(search.value.q);

  watch(
    () => (route.name === "highlights" ? JSON.stringify(searchIn(route.query)) : null),
    (asked) => {
      if (asked === null) return; // another page is opening
      search.value = JSON.parse(asked);
      if (search.value.q.trim() !== term.value.trim()) term.value = search.value.q;
    },
  );
  /** `isStep`: Back returns to what is shown now. */
  function go(next: HighlightSearch, isStep = true): void {
    cancelTyped();
    if (route.name === "highlights") void router[isStep ? "push" : "replace"]({ query: addressOf(next) });
  }
  function show(change: Partial<HighlightSearch>): void {
    if (change.q !== undefined) term.value = change.q;
    go({ ...search.value, q: term.value, ...change });
  }
  const cancelTyped = useTypedSearch(term, {
    current: () => search.value.q,
    search: (q, isStep) => go({ ...search.value, q }, isStep),
  });
  return { search, term, show };
}
