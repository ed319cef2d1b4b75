import { messageOf } from "@/api/errors";
import { removeItem, removeMedia } from "@/api/library";
import { texts } from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Its save, and the work itself where it came without one, as episodes do. */
interface Place {
  itemId: string | null;
  mediaId: string;
}

/** Gone from the list at once, from the server when the chance to undo has passed. */
export function useRemoval() {
  const { hide, unhide, applyRemoved, refresh } = useLibraryUpdates();
  const { show } = useToasts();

  async function send({ itemId, mediaId }: Place): Promise<void> {
    const id = itemId ?? mediaId;
    try {
      await (itemId ? removeItem(itemId) : removeMedia(mediaId));
      applyRemoved(id);
      refresh();
    } catch (error) {
      show(texts.removal.failed(messageOf(error)), { tone: "bad" });
    } finally {
      unhide(id);
    }
  }

  return (place: Place, title: string) => {
    const id = place.itemId ?? place.mediaId;
    hide(id);
    show(texts.removal.removed(title), {
      action: { label: texts.removal.undo, run: () => unhide(id) },
      onGone: () => void send(place),
    });
  };
}
