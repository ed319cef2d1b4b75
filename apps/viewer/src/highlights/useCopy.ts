import { useToasts } from "@/composables/useToasts";
import { copyText } from "@/device/copy-text";
import * as texts from "@/texts";

/** Copies words, and says whether it worked; `done`: what to say then. */
export function useCopy() {
  const { show } = useToasts();
  return async (words: string, done: string = texts.highlights.copied): Promise<void> => {
    if (await copyText(words)) show(done);
    else show(texts.highlights.copyFailed, { tone: "bad" });
  };
}
