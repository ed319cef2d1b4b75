import { messageOf } from "@/api/errors";
import { removeItem, removeMedia } from "@/api/library";
import { texts } from "@/texts";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Its save, and the work itself where it came without one, as episodes do. */
interface Target {
  itemId: string | null;
  mediaId: string;
}

/** Those the server was told of and has not answered yet; each becomes what went wrong, if anything did. */
const underWay = new Set<Promise<unknown>>();

/** Deletes now what could still be undone, and waits for the server; throws what it could not do. */
export async function finishRemovals(): Promise<void> {
  useToasts().dismissAll();
  const problem = (await Promise.all(underWay)).find((one) => one !== null);
  if (problem) throw problem;
}

/** Gone from the list at once, from the server when the chance to undo has passed. */
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
    show(texts.removal.removed(title), {
      action: { label: texts.removal.undo, run: () => unhide(id) },
      onGone: () => start(target),
    });
  };
}
