import { computed, nextTick, onBeforeUnmount, type Ref, shallowRef, watch } from "vue";
import type { Highlight } from "@/api/highlights";
import type { Fragment } from "@/api/types";
import { findPassage, type PassageRange } from "./find-passage";
import { canPaint, type Mark, paint, paintCurrent } from "./paint";
import { ShownText } from "./shown-text";

interface Text {
  body: HTMLElement;
  fragments: Fragment[];
  version: number;
}

/** The highlights of a text, drawn over it; the elements of the text stay as they are. */
export function useMarks(shown: () => Text, highlights: Ref<Highlight[]>, openId: Ref<string | null>) {
  const text = shallowRef<ShownText | null>(null);
  const read = () => {
    text.value = new ShownText(shown().body, shown().fragments);
  };
  /** SafeHtml fills its element again when a title came or changed. */
  const rewritten = new MutationObserver((changes) => {
    if (changes.some(({ target }) => target instanceof Element && target.matches(".prose"))) read();
  });
  watch(
    () => [shown().body, shown().fragments] as const,
    async ([body]) => {
      await nextTick(); // it fills its element when it is mounted
      rewritten.disconnect();
      rewritten.observe(body, { childList: true, subtree: true });
      read();
    },
    { immediate: true },
  );

  const passages = usePassages(shown, highlights);
  const ranges = new WeakMap<ShownText, Map<string, Range[]>>();
  /** Found once: a text may have thousands. */
  function rangesOf(drawn: ShownText, id: string, { start, end }: PassageRange): Range[] {
    const known = ranges.get(drawn) ?? new Map<string, Range[]>();
    ranges.set(drawn, known);
    const key = [id, start.fragment_idx, start.offset, end.fragment_idx, end.offset].join();
    const found = known.get(key) ?? drawn.rangesOf({ start, end });
    known.set(key, found);
    return found;
  }
  const marks = computed<Mark[]>(() => {
    const drawn = text.value;
    if (!drawn) return [];
    return highlights.value.flatMap(({ id, color }) => {
      const passage = passages.value.get(id);
      return passage ? [{ id, color, ranges: rangesOf(drawn, id, passage) }] : [];
    });
  });
  const current = computed(() => marks.value.find(({ id }) => id === openId.value)?.ranges ?? []);
  if (canPaint()) {
    watch(marks, paint, { immediate: true });
    watch(current, paintCurrent, { immediate: true });
  }
  onBeforeUnmount(() => {
    rewritten.disconnect();
    if (!canPaint()) return;
    paint([]);
    paintCurrent([]);
  });
  return { text, marks, current };
}

/**
 * Where each is in the text that is shown: a new version takes them along before the reader opens it, and in an earlier
 * one they are found by their words.
 */
function usePassages(shown: () => Text, highlights: Ref<Highlight[]>) {
  let [known, of] = [new Map<string, PassageRange>(), shown().version];
  const found = new WeakMap<Fragment[], Map<string, PassageRange | null>>();
  function byWords(fragments: Fragment[], one: Highlight): PassageRange | null {
    const foundHere = found.get(fragments) ?? new Map<string, PassageRange | null>();
    found.set(fragments, foundHere);
    const range = foundHere.get(one.id) ?? null;
    if (foundHere.has(one.id) || one.state !== "attached") return range;
    foundHere.set(one.id, findPassage(fragments, one));
    return foundHere.get(one.id) ?? null;
  }
  return computed(() => {
    const { version, fragments } = shown();
    if (of !== version) [known, of] = [new Map(), version];
    const here = highlights.value.flatMap<[string, PassageRange]>((one) => {
      const range = one.version === version ? one : (known.get(one.id) ?? byWords(fragments, one));
      return range ? [[one.id, range]] : [];
    });
    known = new Map(here);
    return known;
  });
}
