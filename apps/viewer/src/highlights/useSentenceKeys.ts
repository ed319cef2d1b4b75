import { onBeforeUnmount, onMounted } from "vue";
import { useShortcuts } from "@/composables/useShortcuts";
import { heightOf, READING_LINE, scrollIntoReadingZone } from "@/positions/scroll-to-range";
import { SentenceList } from "./sentence-list";
import type { ShownText } from "./shown-text";
import { selectedRange } from "./useSelectedPassage";

interface Options {
  text: () => ShownText | null;
  lang: () => string | null;
  /** Highlights what is selected. */
  make: () => void;
  close: () => void;
}

/** Selecting by keyboard, by sentences: `h` the one that is read, arrows another one, `H` the next one, too. */
export function useSentenceKeys({ text, lang, make, close }: Options): void {
  /** What was selected by key: arrows move it until something else is selected. */
  let chosen: Range | null = null;
  let known: { text: ShownText; sentences: SentenceList } | null = null;

  function sentences(): SentenceList | null {
    const shown = text();
    if (!shown) return null;
    if (known?.text !== shown) known = { text: shown, sentences: new SentenceList(shown, lang()) };
    return known.sentences;
  }
  function select(range: Range | null | undefined): void {
    if (!range) return;
    setChosen(range);
    window
      .getSelection()
      ?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    scrollIntoReadingZone(range);
  }
  function highlight(): void {
    if (selectedRange()) make();
    else select(sentences()?.rangeOf(sentences()?.below(heightOf(READING_LINE)) ?? -1));
  }
  function extend(): void {
    const range = selectedRange();
    const list = sentences();
    if (!range || !list) {
      highlight();
      return;
    }
    const next = list.rangeOf(list.after(range));
    if (next && next.compareBoundaryPoints(Range.START_TO_START, range) > 0)
      next.setStart(range.startContainer, range.startOffset);
    select(next);
  }
  function move(by: 1 | -1): void {
    const range = selectedRange();
    const list = sentences();
    if (range && list) select(list.rangeOf(by > 0 ? list.after(range) : list.before(range)));
  }

  const keys: Record<string, () => void> = { h: highlight, H: extend, Escape: close };
  useShortcuts(keys);
  function setChosen(range: Range | null): void {
    chosen = range;
    if (range) Object.assign(keys, { ArrowDown: () => move(1), ArrowUp: () => move(-1) });
    else for (const key of ["ArrowDown", "ArrowUp"]) delete keys[key]; // they scroll again
  }
  const onSelection = () => {
    const now = selectedRange();
    if (chosen && !(now && isSame(chosen, now))) setChosen(null);
  };
  // Also before each key: a busy browser tells of a selection only after the next key.
  onMounted(() => {
    document.addEventListener("selectionchange", onSelection);
    document.addEventListener("keydown", onSelection, { capture: true });
  });
  onBeforeUnmount(() => {
    document.removeEventListener("selectionchange", onSelection);
    document.removeEventListener("keydown", onSelection, { capture: true });
  });
}

const isSame = (one: Range, other: Range) =>
  one.compareBoundaryPoints(Range.START_TO_START, other) === 0 &&
  one.compareBoundaryPoints(Range.END_TO_END, other) === 0;
