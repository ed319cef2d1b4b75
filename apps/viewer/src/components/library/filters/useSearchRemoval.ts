import { messageOf } from "@/api/errors";
import { removeSearch, saveSearch } from "@/api/tags";
import type { SavedSearch } from "@/api/types";
import { useSavedSearches } from "@/composables/organise/useTags";
import { useToasts } from "@/composables/useToasts";
import * as texts from "@/texts";

/** Deletes a saved search; Undo saves it again, at its place. */
export function useSearchRemoval() {
  const { refresh } = useSavedSearches();
  const { show } = useToasts();

  async function attempt(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      show(messageOf(error), { tone: "bad" });
      return false;
    } finally {
      void refresh();
    }
  }

  return async ({ id, name, query, sort, position }: SavedSearch): Promise<void> => {
    if (!(await attempt(removeSearch(id)))) return;
    const undo = () => void attempt(saveSearch({ name, query, sort, position }));
    show(texts.saved.removed(name), { action: { label: texts.removal.undo, run: undo } });
  };
}
