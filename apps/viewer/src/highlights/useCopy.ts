import { useToasts } from "@/composables/useToasts";
import { copyText } from "@/device/copy-text";
import * as texts from "@/texts";

/** Copies words, and says whether it worked. `done`: what to say then; null: nothing, where the button shows it. */
export function useCopy() {
  const { show } = useToasts();
  return async (words: string, done: string | null = texts.highlights.copied): Promise<void> => {
    if (!(await copyText(words))) show(texts.highlights.copyFailed, { tone: "bad" });
    else if (done !== null) show(done);
  };
}
