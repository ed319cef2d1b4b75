import type { Entry, Position } from "@/api/types";

/** To the reader; with the position where something was found, to that very paragraph or second. */
export function readerLink(entry: Entry, position: Position | null) {
  const save = entry.item_id ? { save: entry.item_id } : {};
  const at = position ? { at: `${position.fragment_idx}.${position.offset}` } : {};
  return { name: "read", params: { mediaId: entry.media_id }, query: { ...save, ...at } };
}

export function positionIn(at: unknown): { fragment: number; offset: number } | null {
  const [, fragment, offset] = (typeof at === "string" && at.match(/^(\d{1,6})\.(\d{1,9})$/)) || [];
  return fragment === undefined || offset === undefined ? null : { fragment: Number(fragment), offset: Number(offset) };
}
