import { computed, shallowRef } from "vue";
import type { Entry } from "@/api/types";
import { listedEntries } from "@/pages/last-list";

/** As the list was when one opened a text of it: what is read or archived meanwhile leaves the list, not this. */
const list = shallowRef<Entry[]>([]);

const canBeOpened = (entry: Entry) => entry.can_read || entry.can_play;
const indexOf = (entries: Entry[], mediaId: string) => entries.findIndex((entry) => entry.media_id === mediaId);

/** The texts before and after this one in the list one came from. */
export function useNeighbours(mediaId: string) {
  const isFromText = String(window.history.state?.back ?? "").startsWith("/read/");
  if (!isFromText || indexOf(list.value, mediaId) < 0) list.value = listedEntries.value;
  const index = computed(() => indexOf(list.value, mediaId));
  return {
    previous: computed(() => list.value.slice(0, Math.max(0, index.value)).filter(canBeOpened).at(-1) ?? null),
    next: computed(() => (index.value < 0 ? null : (list.value.slice(index.value + 1).find(canBeOpened) ?? null))),
  };
}
