import type { Change, Decision } from "@/device/decisions";
import { client, expectUser, unwrap } from "./client";
import { type Search, wireFilters } from "./filters";
import { removeItem, removeMedia } from "./library";
import { serverTime } from "./server-clock";

/** What PATCH and bulk call the change. */
function patchOf(change: Exclude<Change, { field: "deleted" }>) {
  if (change.field === "tag") return change.value ? { add_tags: [change.name] } : { remove_tags: [change.name] };
  return { [change.field]: change.value };
}

const timeOf = ({ at }: Decision, isLate: boolean) =>
  isLate ? { client_time: new Date(serverTime(Date.parse(at))).toISOString() } : {};

/**
 * `isLate`: it could not be sent when it was decided, and the server keeps what was decided later than that elsewhere.
 * Else it is of now by the server's clock: that of this device may be wrong.
 */
export async function sendDecision(decision: Decision, user: string, isLate: boolean): Promise<void> {
  const { mediaId } = decision;
  const when = timeOf(decision, isLate);
  if (decision.field === "deleted") {
    await (decision.itemId ? removeItem(decision.itemId, when, user) : removeMedia(mediaId, when, user));
  } else {
    const body = { ...patchOf(decision), ...when };
    const params = { path: { media_id: mediaId } };
    await unwrap(client.PATCH("/api/library/{media_id}", { params, body, ...expectUser(user) }));
  }
}

/** The same for many, all or nothing. `keepalive`: see library.ts; browsers refuse it for over 64 KiB. */
export async function sendTogether(
  decisions: Decision[],
  user: string,
  isLate: boolean,
  options: { keepalive?: boolean } = {},
): Promise<void> {
  const [first] = decisions;
  if (!first) return;
  const body = {
    media_ids: decisions.map((one) => one.mediaId),
    ...bulkOf(first),
    ...timeOf(first, isLate),
  };
  await unwrap(client.POST("/api/library/bulk", { body, ...options, ...expectUser(user) }));
}

function bulkOf(change: Change) {
  if (change.field === "deleted") return { delete: true };
  return change.field === "tag" ? patchOf(change) : { set: patchOf(change) };
}

/** All that `search` finds, also what is not loaded. */
export const changeAll = (search: Search, change: Change) =>
  unwrap(client.POST("/api/library/bulk", { body: { filter: wireFilters(search), ...bulkOf(change) } }));

export const undoBulk = (undo: string) => unwrap(client.POST("/api/library/undo", { body: { undo } }));
