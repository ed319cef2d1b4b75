import { useQueryClient } from "@tanstack/vue-query";
import { actionQueue } from "@/device/action-queue";
import * as texts from "@/texts";
import { useLibraryUpdates } from "./useLibrary";

/** Marks a text as read or unread where there is no entry at hand: shown at once, sent when the server can be reached. */
export function useReadMark() {
  const client = useQueryClient();
  const { applyRead } = useLibraryUpdates();
  /** Named where the server refuses it: the page has loaded one of them. */
  const titleOf = (mediaId: string) =>
    ["entry", "media"]
      .map((kind) => client.getQueryData<{ title: string | null }>([kind, mediaId])?.title)
      .find(Boolean) ?? texts.library.untitled;

  return (mediaId: string, isRead: boolean): void => {
    const at = actionQueue.add({ media_id: mediaId, title: titleOf(mediaId) }, { field: "read", value: isRead });
    applyRead(mediaId, isRead ? at : null);
  };
}
