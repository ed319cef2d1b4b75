import { ref } from "vue";
import type { Export } from "./recognise-export";

/**
 * A file that is not saved before somebody said how. `asText`: what would be kept if they want it as a text;
 * `fromDraft`: it stands in the save box, which is emptied once it is saved.
 */
export type Question =
  | ({ kind: "export"; name: string; asText: string | null; fromDraft: boolean } & Export)
  | { kind: "archive"; name: string; source: string; members: string };

/** Several files may have been dropped: one question after the other. */
export function useQuestions() {
  const waiting = ref<(Question & { id: number })[]>([]);
  let last = 0;
  return {
    waiting,
    ask: (question: Question) => {
      last += 1;
      waiting.value = [...waiting.value, { ...question, id: last }];
    },
    next: () => {
      waiting.value = waiting.value.slice(1);
    },
  };
}
