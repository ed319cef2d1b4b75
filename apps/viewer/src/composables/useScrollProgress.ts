import { onBeforeUnmount, onMounted, type Ref, ref, watch } from "vue";
import { useProgress } from "./useProgress";

const SETTLED_MS = 400;

/** How much of an element lies above the lower edge of the window; stored for the next visit while `isKept`. */
export function useScrollProgress(element: Ref<HTMLElement | null>, mediaId: string, isKept: () => boolean) {
  const share = ref(0);
  const { user, remember, progressOf } = useProgress();
  const start = ref(0);
  let timer = 0;
  watch(
    user,
    () => {
      start.value = progressOf(mediaId);
    },
    { immediate: true },
  );

  function measure(): number | null {
    const box = element.value?.getBoundingClientRect();
    if (!box || box.height === 0) return null;
    return Math.min(1, Math.max(0, (window.innerHeight - box.top) / box.height));
  }
  function onScroll(): void {
    const measured = measure();
    if (measured === null) return;
    share.value = measured;
    window.clearTimeout(timer);
    if (isKept()) timer = window.setTimeout(() => remember(mediaId, share.value), SETTLED_MS);
  }
  function resume(): void {
    const box = element.value?.getBoundingClientRect();
    if (!box) return;
    window.scrollTo({ top: box.top + window.scrollY + start.value * box.height - window.innerHeight });
  }
  /** A text that fits into the window is never scrolled. */
  function checkIfFits(): void {
    if (measure() === 1) share.value = 1;
  }
  onMounted(() => window.addEventListener("scroll", onScroll, { passive: true }));
  onBeforeUnmount(() => {
    window.removeEventListener("scroll", onScroll);
    window.clearTimeout(timer);
    if (share.value > 0 && isKept()) remember(mediaId, share.value);
  });
  return { share, start, resume, checkIfFits };
}
