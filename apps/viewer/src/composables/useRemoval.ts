import { messageOf } from "@/api/errors";
import { removeItem } from "@/api/library";
import { texts } from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Gone from the list at once, from the server when the chance to undo has passed. */
export function useRemoval() {
  const { hide, unhide, applyRemoved, refresh } = useLibraryUpdates();
  const { show } = useToasts();

  async function send(itemId: string): Promise<void> {
    try {
      await removeItem(itemId);
      applyRemoved(itemId);
      refresh();
    } catch (error) {
      show(texts.removal.failed(messageOf(error)), { tone: "bad" });
    } finally {
      unhide(itemId);
    }
  }

  return (itemId: string, title: string) => {
    hide(itemId);
    show(texts.removal.removed(title), {
      action: { label: texts.removal.undo, run: () => unhide(itemId) },
      onGone: () => void send(itemId),
    });
  };
}
