import { computed, shallowRef } from "vue";
import type { Search } from "@/api/filters";
import type { Entry, SavedSearch } from "@/api/types";

/** The dialog that is open over the library, and what it is about. */
type DialogRequest =
  | { kind: "tag"; entries: Entry[] }
  | { kind: "tag-all"; tag: (name: string) => void }
  | { kind: "edit"; entry: Entry }
  | { kind: "actions"; entry: Entry }
  | { kind: "tags" }
  | { kind: "search"; saved?: SavedSearch; search?: Search };

const current = shallowRef<DialogRequest | null>(null);

export const openedDialog = computed(() => current.value);

export function openDialog(what: DialogRequest): void {
  current.value = what;
}

export function closeDialog(): void {
  current.value = null;
}
