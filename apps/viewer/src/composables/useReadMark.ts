import { readQueue } from "@/device/read-queue";
import { useLibraryUpdates } from "./useLibrary";

/** Marks a text as read or unread: shown at once, and sent when the server can be reached. */
export function useReadMark() {
  const { applyRead } = useLibraryUpdates();

  return (mediaId: string, isRead: boolean): void => {
    applyRead(mediaId, isRead ? new Date().toISOString() : null);
    readQueue.add(mediaId, isRead);
  };
}
