import { actionQueue } from "@/device/action-queue";
import { useLibraryUpdates } from "./useLibrary";

/** Marks a text as read or unread where there is no entry at hand: shown at once, sent when the server can be reached. */
export function useReadMark() {
  const { applyRead } = useLibraryUpdates();

  return (mediaId: string, isRead: boolean): void => {
    const at = actionQueue.add({ media_id: mediaId, title: "" }, { field: "read", value: isRead });
    applyRead(mediaId, isRead ? at : null);
  };
}
