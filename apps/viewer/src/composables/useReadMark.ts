import { messageOf } from "@/api/errors";
import { markRead, markUnread } from "@/api/library";
import { useLibraryUpdates } from "./useLibrary";
import { useToasts } from "./useToasts";

/** Marks a work as read or unread: shown at once, put back if the server does not take it. */
export function useReadMark() {
  const { applyRead, refresh } = useLibraryUpdates();
  const { show } = useToasts();

  return async (mediaId: string, before: string | null, isRead: boolean): Promise<void> => {
    applyRead(mediaId, isRead ? new Date().toISOString() : null);
    try {
      await (isRead ? markRead(mediaId) : markUnread(mediaId));
    } catch (error) {
      applyRead(mediaId, before);
      show(messageOf(error), { tone: "bad" });
    }
    refresh();
  };
}
