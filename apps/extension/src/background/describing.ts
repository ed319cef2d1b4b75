/** Sends the tags and the note that did not go with a link or a page. */
import { RefusedError, type Server } from "../shared/server";
import * as texts from "../shared/texts";
import type { LookupResult, Saved } from "../shared/types";
import { changeEntry, type OutboxEntry, removeIf } from "./outbox";

/** What the server has leaves the outbox once it has the tags and the note, too: also those given meanwhile. */
export async function describeAndRemove(server: Server, key: string, saved: Saved | null): Promise<void> {
  for (let entry = await removeIf(key, isDescribed); entry; entry = await removeIf(key, isDescribed)) {
    await changeEntry(key, { delivered: { saved } });
    await describe(server, entry, saved?.media_id ?? null);
    await changeEntry(key, { described: { tags: entry.tags, note: entry.note } });
  }
}

function isDescribed({ tags, note, described }: OutboxEntry): boolean {
  const known = described ?? { tags: [], note: "" };
  return note === known.note && tags.join("\n") === known.tags.join("\n");
}

/** Adds to what is there, as a page does that is saved with tags and a note. */
async function describe(server: Server, { url, tags, note }: OutboxEntry, savedId: string | null): Promise<void> {
  const known = await server.lookup(url);
  const mediaId = savedId ?? known?.media_id;
  if (!mediaId) throw new RefusedError(404, "not_found", texts.notDescribed);
  const before = known?.media_id === mediaId ? known : null;
  const changed = { ...(tags.length && { add_tags: tags }), ...addedNote(before, note) };
  if (Object.keys(changed).length) await server.describe(mediaId, changed);
}

function addedNote(known: LookupResult | null, note: string): { note?: string } {
  const before = known?.note ?? "";
  if (before.includes(note)) return {};
  return { note: note.includes(before) ? note : `${before}\n\n${note}` };
}
