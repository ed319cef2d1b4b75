import { ref } from "vue";
import type { Export } from "./recognise-export";

/**
 * A file that is not saved before the user decided how. `asText`: what is saved if they want it as a text;
 * `fromDraft`: it is in the save box, which is emptied once it is saved.
 */
export type Confirmation =
  | ({ kind: "export"; name: string; asText: string | null; fromDraft: boolean } & Export)
  | { kind: "archive"; name: string; source: string; members: string };

/** Several files may have been dropped: they are confirmed one after the other. */
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
