import { onScopeDispose, type Ref, watch } from "vue";

const TYPING_MS = 250;

interface TypedSearch {
  /** What is searched for now. */
  current: () => string;
  /** `isStep`: Back returns to what is shown now. */
  search: (q: string, isStep: boolean) => void;
}

/** Searches for what is typed once its user pauses; call the result where a search is started without that. */
export function useTypedSearch(typed: Ref<string>, { current, search }: TypedSearch): () => void {
  let timer = 0;
  /** What has been searched for already: `current` follows once the router has the new address. */
  let started: string | null = null;
  function cancel(): void {
    window.clearTimeout(timer);
    started = typed.value;
  }
  watch(typed, (q) => {
    window.clearTimeout(timer);
    const isStarted = q === started;
    started = null;
    if (isStarted || q.trim() === current().trim()) return;
    // The first letter is a step, the others change it.
    const isStep = current() === "";
    if (q.trim() === "") search("", false);
    else timer = window.setTimeout(() => search(q, isStep), TYPING_MS);
  });
  onScopeDispose(cancel);
  return cancel;
}
