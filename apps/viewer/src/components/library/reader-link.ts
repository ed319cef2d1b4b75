import type { Entry, Location } from "@/api/types";

/** Opens the reader, at the paragraph or second of a search result if there is one; with all hits of `q` marked. */
export function readerLink(entry: Entry, location: Location | null, q = "") {
  const save = entry.item_id ? { save: entry.item_id } : {};
  const at = location ? { at: `${location.fragment_idx}.${location.offset}` } : {};
  return { name: "read", params: { mediaId: entry.media_id }, query: { ...save, ...at, ...(q.trim() ? { q } : {}) } };
}

export function positionIn(at: unknown): { fragment: number; offset: number } | null {
  const [, fragment, offset] = (typeof at === "string" && at.match(/^(\d{1,6})\.(\d{1,9})$/)) || [];
  return fragment === undefined || offset === undefined ? null : { fragment: Number(fragment), offset: Number(offset) };
}
