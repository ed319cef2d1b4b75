import type { Decision } from "@/device/decisions";
import { userStorage } from "@/device/user-storage";

/** Read marks that an earlier version of this viewer has stored and not sent. */
export function takeReadMarks(user: string, take: (decision: Decision) => void): void {
  const storage = userStorage<{ isRead: boolean; at: string }>("nexus.read-marks", user);
  for (const [mediaId, { isRead, at }] of storage.read()) {
    take({ field: "read", value: isRead, mediaId, at, title: "" });
    storage.remove(mediaId);
  }
}
