import { type InjectionKey, inject, onBeforeUnmount, provide, type Ref, ref, watch } from "vue";
import { useTags } from "@/composables/organise/useTags";
import { useProgress } from "@/composables/useProgress";

/** What all rows of a list ask for: each with a query of its own took a quarter of the time of scrolling. */
interface RowContext {
  colorOf: ReturnType<typeof useTags>["colorOf"];
  progressOf: (mediaId: string) => number;
  /** So fast that nobody can read the rows: they are rendered without what takes long. */
  isScrollingFast: Ref<boolean>;
}
const KEY: InjectionKey<RowContext> = Symbol("rows");

export function provideRowContext(isScrollingFast: Ref<boolean>): void {
  const { colorOf } = useTags();
  const { progressOf } = useProgress();
  provide(KEY, { colorOf, progressOf, isScrollingFast });
}

export function useRowContext(): RowContext {
  const context = inject(KEY, null);
  if (!context) throw new Error("a row outside of a list");
  return context;
}

const MAX_PER_FRAME = 4;
const waiting = new Set<() => void>();
let isCompleting = false;
/** A few in each frame: those of a whole window at once would keep the browser busy for longer than one. */
function next(): void {
  for (const start of [...waiting].slice(0, MAX_PER_FRAME)) {
    waiting.delete(start);
    start();
  }
  isCompleting = waiting.size > 0;
  if (isCompleting) requestAnimationFrame(next);
}

/** Whether a row has its buttons, which are more than half of its elements: only once the list scrolls slowly. */
export function useFullRow(): Ref<boolean> {
  const { isScrollingFast } = useRowContext();
  const isFull = ref(!isScrollingFast.value);
  const complete = () => {
    isFull.value = true;
  };
  if (!isFull.value) {
    const stop = watch(isScrollingFast, (now) => {
      if (now) return;
      stop();
      waiting.add(complete);
      if (!isCompleting) requestAnimationFrame(next);
      isCompleting = true;
    });
    onBeforeUnmount(() => waiting.delete(complete));
  }
  return isFull;
}
