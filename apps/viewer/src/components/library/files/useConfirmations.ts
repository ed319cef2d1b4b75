import { ref } from "vue";
import type { Export } from "./recognise-export";

/**
 * A pasted export, which is not saved before the user decided how. `canBeText`: it is short enough for one;
 * `fromDraft`: it was in the save box, to which it returns unless it is saved.
 */
export interface Confirmation extends Pick<Export, "source" | "shape"> {
  name: string;
  text: string;
  canBeText: boolean;
  fromDraft: boolean;
}

/** Several may wait: they are confirmed one after the other. */
export function useConfirmations() {
  const waiting = ref<(Confirmation & { id: number })[]>([]);
  let last = 0;
  return {
    waiting,
    add: (confirmation: Confirmation) => {
      last += 1;
      waiting.value = [...waiting.value, { ...confirmation, id: last }];
    },
    next: () => {
      waiting.value = waiting.value.slice(1);
    },
  };
}
