import { onScopeDispose, type Ref, shallowRef, watch } from "vue";
import * as texts from "@/texts";
import type { Paragraph } from "./compare-texts";

/** What changed between two texts, as lists of paragraphs; compared in a thread of its own once both are there. */
export function useTextChanges(before: Ref<string[] | undefined>, after: Ref<string[] | undefined>) {
  const paragraphs = shallowRef<Paragraph[] | null>(null);
  const error = shallowRef<Error | null>(null);
  let worker: Worker | null = null;
  function stop(): void {
    worker?.terminate();
    worker = null;
  }
  function start(both: [before: string[], after: string[]]): void {
    worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Paragraph[]>) => {
      paragraphs.value = data;
      stop();
    };
    worker.onerror = () => {
      error.value = new Error(texts.errors.unknown);
      stop();
    };
    worker.postMessage(both);
  }
  watch(
    [before, after],
    ([old, fresh]) => {
      stop();
      [paragraphs.value, error.value] = [null, null];
      if (old && fresh) start([old, fresh]);
    },
    { immediate: true },
  );
  onScopeDispose(stop);
  return { paragraphs, error };
}
