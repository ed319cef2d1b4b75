import type { Entry, Position } from "@/api/types";

/** Opens the reader, at the paragraph or second of a search result if there is one. */
export function readerLink(entry: Entry, position: Position | null) {
  const save = entry.item_id ? { save: entry.item_id } : {};
  const at = position ? { at: `${position.fragment_idx}.${position.offset}` } : {};
  return { name: "read", params: { mediaId: entry.media_id }, query: { ...save, ...at } };
}

export function positionIn(at: unknown): { fragment: number; offset: number } | null {
  const [, fragment, offset] = (typeof at === "string" && at.match(/^(\d{1,6})\.(\d{1,9})$/)) || [];
  return fragment === undefined || offset === undefined ? null : { fragment: Number(fragment), offset: Number(offset) };
}
