import type { Change, Decision } from "@/device/decisions";
import { client, expectUser, unwrap } from "./client";
import { removeItem, removeMedia } from "./library";

/** What PATCH and bulk call the change. */
function patchOf(change: Exclude<Change, { field: "deleted" }>) {
  if (change.field === "tag") return change.value ? { add_tags: [change.name] } : { remove_tags: [change.name] };
  return { [change.field]: change.value };
}

/**
 * `isLate`: it could not be sent when it was decided, and the server keeps what was decided later than that elsewhere.
 * Else it is of now by the server's clock: that of this device may be wrong.
 */
export async function sendDecision(decision: Decision, user: string, isLate: boolean): Promise<void> {
  const { mediaId, at } = decision;
  if (decision.field === "deleted") {
    await (decision.itemId ? removeItem(decision.itemId, user) : removeMedia(mediaId, user));
  } else {
    const body = { ...patchOf(decision), ...(isLate ? { client_time: at } : {}) };
    const params = { path: { media_id: mediaId } };
    await unwrap(client.PATCH("/api/library/{media_id}", { params, body, ...expectUser(user) }));
  }
}
