import type { Entry, Place } from "@/api/types";

/** To the reader; with the place where something was found, to that very paragraph or second. */
export function readingLink(entry: Entry, place: Place | null) {
  const save = entry.item_id ? { save: entry.item_id } : {};
  const at = place ? { at: `${place.fragment_idx}.${place.offset}` } : {};
  return { name: "read", params: { mediaId: entry.media_id }, query: { ...save, ...at } };
}

export function placeIn(at: unknown): { fragment: number; offset: number } | null {
  const [, fragment, offset] = (typeof at === "string" && at.match(/^(\d{1,6})\.(\d{1,9})$/)) || [];
  return fragment === undefined || offset === undefined ? null : { fragment: Number(fragment), offset: Number(offset) };
}
