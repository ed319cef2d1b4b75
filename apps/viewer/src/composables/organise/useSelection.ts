import { computed, shallowRef } from "vue";
import type { Entry } from "@/api/types";

/** The picked rows, by media; `isAll`: everything the list would show, also what is not loaded. */
const picked = shallowRef<ReadonlyMap<string, Entry>>(new Map());
const isAll = shallowRef(false);
/** From where shift picks. */
let anchor: string | null = null;

function set(entries: Iterable<Entry>): void {
  picked.value = new Map([...entries].map((entry) => [entry.media_id, entry]));
}

function clear(): void {
  picked.value = new Map();
  isAll.value = false;
  anchor = null;
}

function toggle(entry: Entry): void {
  const next = new Map(picked.value);
  if (!next.delete(entry.media_id)) next.set(entry.media_id, entry);
  isAll.value = false;
  anchor = entry.media_id;
  picked.value = next;
}

/** From the row that was picked last to this one. */
function extend(entry: Entry, shown: Entry[]): void {
  const index = (id: string | null) => shown.findIndex((one) => one.media_id === id);
  const [from, to] = [index(anchor), index(entry.media_id)].sort((a, b) => a - b);
  if (from === undefined || to === undefined || from < 0) toggle(entry);
  else set([...picked.value.values(), ...shown.slice(from, to + 1)]);
  isAll.value = false;
}

/** What has left the list is no longer picked; the others are as the list has them. */
function keepOnly(shown: Entry[]): void {
  if (!picked.value.size) return;
  set(shown.filter((entry) => picked.value.has(entry.media_id)));
  if (!picked.value.size) clear();
}

export function useSelection() {
  return {
    picked: computed(() => picked.value),
    isAll: computed(() => isAll.value),
    count: computed(() => picked.value.size),
    has: (entry: Entry) => isAll.value || picked.value.has(entry.media_id),
    entries: () => [...picked.value.values()],
    toggle,
    extend,
    clear,
    keepOnly,
    /** `hasMore`: the list has more than is loaded. */
    pickAll: (shown: Entry[], hasMore: boolean) => {
      set(shown);
      isAll.value = hasMore;
    },
  };
}
