import { ref } from "vue";
import type { Export } from "./recognise-export";

/** A file that is not saved before somebody said how. `asText`: what would be kept if they want it as a text. */
export type Question =
  | ({ kind: "export"; name: string; asText: string | null } & Export)
  | { kind: "archive"; name: string; source: string; members: string };

/** Several files may have been dropped: one question after the other. */
export function useQuestions() {
  const waiting = ref<Question[]>([]);
  return {
    waiting,
    ask: (question: Question) => {
      waiting.value = [...waiting.value, question];
    },
    next: () => {
      waiting.value = waiting.value.slice(1);
    },
  };
}
