import type { Decision, EntryChange } from "@/device/decisions";
import { client, expectUser, unwrap } from "./client";
import { type Search, wireFilters } from "./filters";
import { removeItem, removeMedia } from "./library";
import { clientTime } from "./server-clock";

/** What PATCH and bulk call the change. */
function patchOf(change: Exclude<EntryChange, { field: "deleted" }>) {
  if (change.field === "tag") return change.value ? { add_tags: [change.name] } : { remove_tags: [change.name] };
  return { [change.field]: change.value };
}

const wireTime = (time: number | null) => (time === null ? {} : { client_time: new Date(time).toISOString() });

/**
 * By the server's clock; of decisions that are sent together, what is later than all that came before any of them. The
 * queue sends together only what has one time (see there); those made while a page is left were made in one moment.
 */
export const timeOf = (decisions: Decision[]) =>
  decisions.reduce((latest, decision) => Math.max(latest, clientTime(decision)), 0);

/**
 * `time`: it could not be sent when it was decided, and the server keeps what was decided later than that elsewhere.
 * Null: it is of now by the server's clock, since that of this device may be wrong.
 */
export async function sendDecision(decision: Decision, user: string, time: number | null): Promise<void> {
  const { mediaId } = decision;
  const when = wireTime(time);
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
  time: number | null,
  options: { keepalive?: boolean } = {},
): Promise<void> {
  const [first] = decisions;
  if (!first) return;
  const body = {
    media_ids: decisions.map((one) => one.mediaId),
    ...bulkOf(first),
    ...wireTime(time),
  };
  await unwrap(client.POST("/api/library/bulk", { body, ...options, ...expectUser(user) }));
}

function bulkOf(change: EntryChange) {
  if (change.field === "deleted") return { delete: true };
  return change.field === "tag" ? patchOf(change) : { set: patchOf(change) };
}

/** All that `search` finds, also what is not loaded. */
export const changeAll = (search: Search, change: EntryChange) =>
  unwrap(client.POST("/api/library/bulk", { body: { filter: wireFilters(search), ...bulkOf(change) } }));

export const undoBulk = (undo: string) => unwrap(client.POST("/api/library/undo", { body: { undo } }));
