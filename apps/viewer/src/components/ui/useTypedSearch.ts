import { onScopeDispose, type Ref, watch } from "vue";

const TYPING_MS = 250;

interface TypedSearch {
  /** What is searched for now. */
  current: () => string;
  /** `isStep`: Back returns to what is shown now. */
  search: (q: string, isStep: boolean) => void;
}

/** Searches for what is typed once its user pauses; call the result where something else is searched for first. */
export function useTypedSearch(typed: Ref<string>, { current, search }: TypedSearch): () => void {
  let timer = 0;
  const cancel = () => window.clearTimeout(timer);
  watch(typed, (q) => {
    cancel();
    if (q.trim() === current().trim()) return;
    // The first letter is a step, the others change it.
    const isStep = current() === "";
    if (q.trim() === "") search("", false);
    else timer = window.setTimeout(() => search(q, isStep), TYPING_MS);
  });
  onScopeDispose(cancel);
  return cancel;
}
