import { computed, shallowRef } from "vue";
import type { Entry } from "@/api/types";

/** The selected rows, by media; `isAll`: everything the list would show, also what is not loaded. */
const selected = shallowRef<ReadonlyMap<string, Entry>>(new Map());
const isAll = shallowRef(false);
/** From where shift selects. */
let anchor: string | null = null;

function set(entries: Iterable<Entry>): void {
  selected.value = new Map([...entries].map((entry) => [entry.media_id, entry]));
}

function clear(): void {
  selected.value = new Map();
  isAll.value = false;
  anchor = null;
}

function toggle(entry: Entry): void {
  const next = new Map(selected.value);
  if (!next.delete(entry.media_id)) next.set(entry.media_id, entry);
  isAll.value = false;
  anchor = entry.media_id;
  selected.value = next;
}

/** From the row that was selected last to this one. */
function extend(entry: Entry, shown: Entry[]): void {
  const index = (id: string | null) => shown.findIndex((one) => one.media_id === id);
  const [from, to] = [index(anchor), index(entry.media_id)].sort((a, b) => a - b);
  if (from === undefined || to === undefined || from < 0) toggle(entry);
  else set([...selected.value.values(), ...shown.slice(from, to + 1)]);
  isAll.value = false;
}

/** What has left the list is no longer selected; the others are as the list has them. */
function keepOnly(shown: Entry[]): void {
  if (!selected.value.size) return;
  set(shown.filter((entry) => selected.value.has(entry.media_id)));
  if (!selected.value.size) clear();
}

export function useSelection() {
  return {
    selected: computed(() => selected.value),
    isAll: computed(() => isAll.value),
    count: computed(() => selected.value.size),
    has: (entry: Entry) => isAll.value || selected.value.has(entry.media_id),
    entries: () => [...selected.value.values()],
    toggle,
    extend,
    clear,
    keepOnly,
    /** `hasMore`: the list has more than is loaded. */
    selectAll: (shown: Entry[], hasMore: boolean) => {
      set(shown);
      isAll.value = hasMore;
    },
  };
}
