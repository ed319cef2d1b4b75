import { onBeforeUnmount, onMounted, type Ref, ref, watch } from "vue";
import { isSameSentence, type Position, type Sentence, useProgress } from "./useProgress";

const SETTLED_MS = 400;
const END = 0.99;
/** What readers move a page with; a link that is clicked, or a key of the player, may move it, too. */
const INPUTS = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/** Finds the sentence that is being read, and shows one. */
export interface Sentences {
  here: () => Sentence | null;
  /** Whether it could be shown. */
  show: (sentence: Sentence) => boolean;
}

/**
 * How much of an element lies above the lower edge of the window, and which sentence is being read; stored for the next
 * visit, here and on other devices, while `isPositionStored`.
 */
export function useScrollProgress(
  element: Ref<HTMLElement | null>,
  mediaId: string,
  isPositionStored: () => boolean,
  sentences?: Sentences,
) {
  const share = ref(0);
  const { user, remember, positionOf } = useProgress();
  const start = ref(0);
  /** Where one was when it was opened: what is stored changes with each scroll. */
  let opened: Position | undefined;
  let timer = 0;
  /** The sentence at which the page was put, or that was stored last: being there still is no news. */
  let known: Sentence | null = null;
  let wasAtEnd = false;
  /** Else the page moved by itself: it was put where the user was, or its layout changed. */
  let hasActed = false;
  /** Where the page was put. */
  let put: { position: Position; top: number } | null = null;
  watch(
    user,
    () => {
      opened = positionOf(mediaId);
      start.value = opened?.share ?? 0;
    },
    { immediate: true },
  );

  function measure(): number | null {
    const box = element.value?.getBoundingClientRect();
    if (!box || box.height === 0) return null;
    return Math.min(1, Math.max(0, (window.innerHeight - box.top) / box.height));
  }
  function settle(): void {
    window.clearTimeout(timer);
    timer = 0;
    if (!isPositionStored()) return;
    const here = sentences?.here() ?? null;
    const isAtEnd = share.value > END;
    if (here && isSameSentence(here, known) && isAtEnd === wasAtEnd) return;
    known = here;
    wasAtEnd = isAtEnd;
    remember(mediaId, share.value, here);
  }
  function onScroll(): void {
    const measured = measure();
    if (measured === null) return;
    share.value = measured;
    window.clearTimeout(timer);
    if (hasActed && isPositionStored()) timer = window.setTimeout(settle, SETTLED_MS);
  }
  /** Pending changes, before the page is left. */
  function finish(): void {
    if (timer) settle();
  }
  function goTo(position: Position): void {
    const box = element.value?.getBoundingClientRect();
    if (!box) return;
    const isShown = position.sentence && sentences?.show(position.sentence);
    if (!isShown) window.scrollTo({ top: box.top + window.scrollY + position.share * box.height - window.innerHeight });
    markHere();
    put = { position, top: window.scrollY };
  }
  /** A note or a picture that came late has moved the text, and the browser has not scrolled with it. */
  function onResize(): void {
    if (put && !hasActed && window.scrollY === put.top) goTo(put.position);
  }
  function onInput(): void {
    hasActed = true;
  }
  function resume(): void {
    if (opened) goTo(opened);
  }
  /** From here on only what the reader does counts. */
  function markHere(): void {
    known = sentences?.here() ?? null;
    wasAtEnd = (measure() ?? 0) > END;
  }
  const hasMoved = () => hasActed && sentences !== undefined && !isSameSentence(sentences.here(), known);
  /** A text that fits into the window is never scrolled. */
  function checkIfFits(): void {
    if (measure() === 1) share.value = 1;
  }
  const observer = new ResizeObserver(onResize);
  onMounted(() => {
    observer.observe(document.body);
    for (const one of INPUTS) window.addEventListener(one, onInput, { passive: true, capture: true });
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("pagehide", finish);
  });
  onBeforeUnmount(() => {
    observer.disconnect();
    for (const one of INPUTS) window.removeEventListener(one, onInput, { capture: true });
    window.removeEventListener("scroll", onScroll);
    window.removeEventListener("pagehide", finish);
    finish();
  });
  return { share, start, resume, goTo, markHere, hasMoved, checkIfFits };
}
