import { computed, shallowRef } from "vue";
import type { Entry } from "@/api/types";

/** What is asked in a dialog, wherever it was opened from. */
export type Asked =
  | { kind: "tag"; entries: Entry[] }
  | { kind: "tag-all"; tag: (name: string, isOn: boolean) => void }
  | { kind: "edit"; entry: Entry }
  | { kind: "actions"; entry: Entry }
  | { kind: "tags" };

const asked = shallowRef<Asked | null>(null);

export const askedDialog = computed(() => asked.value);

export function openDialog(what: Asked): void {
  asked.value = what;
}

export function closeDialog(): void {
  asked.value = null;
}
