import { computed, ref, shallowRef, watch } from "vue";
import { useRoute, useRouter } from "vue-router";
import { type Filters, NO_FILTERS, type Search } from "@/api/filters";
import { addressOf, filtersIn, listKey } from "@/components/library/filters/address";
import { useTypedSearch } from "@/components/ui/useTypedSearch";
import { lastList } from "@/pages/last-list";

/** What the library shows is in the address, so that it can be kept, and Back restores it. */
export function useListAddress() {
  const route = useRoute();
  const router = useRouter();
  const filters = shallowRef<Filters>(NO_FILTERS);
  /** The text in the search box; `search` is what of it is in the address. */
  const term = ref("");
  const search = shallowRef<Search>({ q: "", ...NO_FILTERS });

  watch(
    () => (route.name === "library" ? listKey(route.query) : null),
    (key) => {
      if (key === null) return; // kept alive behind another page
      filters.value = filtersIn(route.query);
      const asked = typeof route.query.q === "string" ? route.query.q : "";
      if (asked.trim() !== term.value.trim()) term.value = asked;
      search.value = { ...filters.value, q: asked.trim() && asked };
      lastList.value = addressOf(filters.value, asked);
    },
    { immediate: true },
  );

  /** `isStep`: Back returns to what is shown now. */
  function go(next: Filters, q: string, isStep: boolean): void {
    cancelTyped();
    // The user may have opened a text while the timer ran.
    if (route.name !== "library") return;
    void router[isStep ? "push" : "replace"]({ query: addressOf(next, q) });
  }
  function show(next: Filters, q = term.value): void {
    term.value = q;
    go(next, q, true);
  }

  const cancelTyped = useTypedSearch(term, {
    current: () => search.value.q,
    search: (q, isStep) => go(filters.value, q, isStep),
  });

  return {
    filters,
    term,
    search,
    isSearching: computed(() => search.value.q !== ""),
    show,
    /** At once, not when the user stops typing. */
    searchNow: () => {
      if (term.value.trim() !== search.value.q.trim()) go(filters.value, term.value, search.value.q === "");
    },
  };
}
