import { computed, shallowRef } from "vue";
import type { Search } from "@/api/filters";
import type { Entry, SavedSearch } from "@/api/types";

/** What is asked in a dialog, wherever it was opened from. */
type Asked =
  | { kind: "tag"; entries: Entry[] }
  | { kind: "tag-all"; tag: (name: string) => void }
  | { kind: "edit"; entry: Entry }
  | { kind: "actions"; entry: Entry }
  | { kind: "tags" }
  | { kind: "search"; saved?: SavedSearch; search?: Search };

const asked = shallowRef<Asked | null>(null);

export const askedDialog = computed(() => asked.value);

export function openDialog(what: Asked): void {
  asked.value = what;
}

export function closeDialog(): void {
  asked.value = null;
}
