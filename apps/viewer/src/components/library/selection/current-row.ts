import { computed, type Ref, ref, watch } from "vue";
import { keyOf } from "@/api/library-pages";
import type { Entry } from "@/api/types";

/** The row below the one that has left, else the one above. */
function neighbour(before: string[], now: string[], key: string): string | null {
  const at = before.indexOf(key);
  const isLeft = (one: string) => now.includes(one);
  return before.slice(at + 1).find(isLeft) ?? before.slice(0, Math.max(at, 0)).findLast(isLeft) ?? null;
}

/** The row that the keys act on: the same entry wherever the list moves it, and its neighbour when it leaves. */
export function useCurrentRow(shown: Readonly<Ref<Entry[]>>) {
  const key = ref<string | null>(null);
  watch(shown, (entries, earlier) => {
    if (key.value === null) return;
    const now = entries.map(keyOf);
    if (!now.includes(key.value)) key.value = neighbour(earlier.map(keyOf), now, key.value);
  });
  const index = computed({
    get: () => (key.value === null ? -1 : shown.value.findIndex((entry) => keyOf(entry) === key.value)),
    set: (to) => {
      const entry = shown.value[to];
      key.value = entry ? keyOf(entry) : null;
    },
  });
  return { key, index };
}
