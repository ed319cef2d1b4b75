import { onScopeDispose, ref, shallowRef, watch } from "vue";
import { useRoute, useRouter } from "vue-router";
import type { HighlightSearch } from "@/api/highlights";
import { addressOf, searchIn } from "./address";

const TYPING_MS = 250;

/** What the page shows is in its address, so that it can be kept, and Back restores it. */
export function useHighlightSearch() {
  const route = useRoute();
  const router = useRouter();
  const search = shallowRef<HighlightSearch>(searchIn(route.query));
  /** The text in the search box; `search.q` is what of it is in the address. */
  const term = ref(search.value.q);
  let timer = 0;

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
    window.clearTimeout(timer);
    if (route.name === "highlights") void router[isStep ? "push" : "replace"]({ query: addressOf(next) });
  }
  function show(change: Partial<HighlightSearch>): void {
    if (change.q !== undefined) term.value = change.q;
    go({ ...search.value, q: term.value, ...change });
  }
  watch(term, (typed) => {
    window.clearTimeout(timer);
    if (typed.trim() === search.value.q.trim()) return;
    // The first letter is a step, the others change it.
    const isStep = search.value.q === "";
    timer = window.setTimeout(() => go({ ...search.value, q: typed }, isStep), typed.trim() ? TYPING_MS : 0);
  });
  onScopeDispose(() => window.clearTimeout(timer));
  return { search, term, show };
}
