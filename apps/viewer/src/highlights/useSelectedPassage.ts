import { onBeforeUnmount, onMounted, shallowRef } from "vue";
import type { Passage, ShownText } from "./shown-text";

interface Selected {
  passage: Passage;
  range: Range;
}

/** A selection that is still being dragged changes many times a second. */
const SETTLED_MS = 250;

export function selectedRange(): Range | null {
  const selection = window.getSelection();
  return selection && !selection.isCollapsed && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
}

/** What the user has selected in the text, by mouse, touch or keyboard, once they have let go. */
export function useSelectedPassage(text: () => ShownText | null) {
  const selected = shallowRef<Selected | null>(null);
  let timer = 0;
  let isHeld = false;

  function selectedNow(): Selected | null {
    const range = selectedRange();
    const passage = range && text()?.passageOf(range);
    return range && passage ? { passage, range: range.cloneRange() } : null;
  }
  function read(): void {
    selected.value = isHeld ? null : selectedNow();
  }
  const later = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(read, SETTLED_MS);
  };
  const onDown = ({ pointerType }: PointerEvent) => {
    isHeld = pointerType === "mouse"; // browsers tell nothing of the handles that a finger moves
  };
  const onUp = () => {
    isHeld = false;
    later();
  };
  const events: [string, EventListener][] = [
    ["selectionchange", later],
    ["pointerdown", onDown as EventListener],
    ["pointerup", onUp],
    ["pointercancel", onUp],
  ];
  onMounted(() => {
    for (const [name, listener] of events) document.addEventListener(name, listener);
  });
  onBeforeUnmount(() => {
    window.clearTimeout(timer);
    for (const [name, listener] of events) document.removeEventListener(name, listener);
  });

  return {
    selected,
    /** What is selected now, without waiting. */
    now: (): Passage | null => selectedNow()?.passage ?? null,
    clear: () => {
      window.getSelection()?.removeAllRanges();
      selected.value = null;
    },
  };
}
