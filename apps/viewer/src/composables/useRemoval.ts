import { messageOf } from "@/api/errors";
import { removeItem, removeMedia } from "@/api/library";
import { usePlayer } from "@/player/usePlayer";
import { texts } from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** An item, or the media where there is none, as for episodes. */
interface Target {
  itemId: string | null;
  mediaId: string;
}

/** Requests under way; each resolves to its error, or null. */
const underWay = new Set<Promise<unknown>>();

/** Deletes now what could still be undone, and waits for the server; throws the first error. */
export async function finishRemovals(): Promise<void> {
  useToasts().dismissAll();
  const problem = (await Promise.all(underWay)).find((one) => one !== null);
  if (problem) throw problem;
}

/** Hides it at once, and deletes it on the server when it can no longer be undone. */
export function useRemoval() {
  const { hide, unhide, applyRemoved, refresh } = useLibraryUpdates();
  const { show } = useToasts();

  function start(target: Target): void {
    const sending = send(target).finally(() => underWay.delete(sending));
    underWay.add(sending);
  }

  async function send({ itemId, mediaId }: Target): Promise<unknown> {
    const id = itemId ?? mediaId;
    try {
      await (itemId ? removeItem(itemId) : removeMedia(mediaId));
      applyRemoved(id);
      refresh();
      return null;
    } catch (error) {
      show(texts.removal.failed(messageOf(error)), { tone: "bad" });
      return error;
    } finally {
      unhide(id);
    }
  }

  return (target: Target, title: string) => {
    const id = target.itemId ?? target.mediaId;
    hide(id);
    usePlayer().remove(target.mediaId);
    show(texts.removal.removed(title), {
      action: { label: texts.removal.undo, run: () => unhide(id) },
      onGone: () => start(target),
    });
  };
}
