import { useQuery } from "@tanstack/vue-query";
import { computed, onBeforeUnmount, type Ref, ref, shallowRef, watch } from "vue";
import { fetchTextHits } from "@/api/library";
import type { Fragment } from "@/api/types";
import { bringIntoSight, hitRanges, indexFrom, type ShownHit } from "./hit-ranges";

const MARKS = "hit";
const CURRENT = "current-hit";
/** On the text once its hits are marked, also when that was ended: the paragraph of the search result is not marked then. */
const MARKED = "has-hits";

interface Page {
  /** What was searched for; empty: nothing is marked. */
  q: Ref<string>;
  body: Readonly<Ref<HTMLElement | null>>;
  /** The text that is shown, and its version, once it is on the page; null: not, or another than the current one. */
  shown: () => { version: number; fragments: Fragment[] } | null;
  /** Where the search result was opened. */
  at: { fragment: number; offset: number } | null;
  hasMoved: () => boolean;
}

/** Marks what a search has found in the text, and goes from one hit to the next. */
export function useTextHits(mediaId: string, { q, body, shown, at, hasMoved }: Page) {
  const answer = useQuery({
    queryKey: computed(() => ["hits", mediaId, q.value, shown()?.version]),
    queryFn: () => fetchTextHits(mediaId, q.value),
    enabled: () => q.value !== "" && shown() !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const hadSearch = q.value !== "";
  const hits = shallowRef<ShownHit[]>([]);
  const index = ref(0);

  /** Browsers without this mark nothing; the buttons lead to the hits all the same. */
  function mark(): void {
    const canMark = "highlights" in CSS;
    body.value?.classList.toggle(MARKED, canMark && (hits.value.length > 0 || (hadSearch && !q.value)));
    if (!canMark) return;
    CSS.highlights.set(MARKS, new Highlight(...hits.value.map(({ range }) => range)));
    const current = new Highlight(...hits.value.slice(index.value, index.value + 1).map(({ range }) => range));
    current.priority = 1;
    CSS.highlights.set(CURRENT, current);
  }
  function find(): void {
    const text = shown();
    const found = q.value && text && answer.data.value?.version === text.version ? answer.data.value.hits : [];
    hits.value = body.value && text && found.length ? hitRanges(body.value, text.fragments, found) : [];
    index.value = indexFrom(hits.value, at);
    mark();
    const first = hits.value[index.value];
    if (first && at && !hasMoved()) bringIntoSight(first.range);
  }
  watch([q, body, () => answer.data.value, () => shown()?.version, () => shown()?.fragments], find, {
    immediate: true,
    flush: "post",
  });

  function move(by: number): void {
    const { length } = hits.value;
    if (!length) return;
    index.value = (index.value + by + length) % length;
    mark();
    const current = hits.value[index.value];
    if (current) bringIntoSight(current.range);
  }
  onBeforeUnmount(() => {
    if (!("highlights" in CSS)) return;
    for (const name of [MARKS, CURRENT]) CSS.highlights.delete(name);
  });
  return {
    hits,
    index,
    isComplete: computed(() => answer.data.value?.is_complete ?? true),
    error: computed(() => (q.value ? answer.error.value : null)),
    next: () => move(1),
    previous: () => move(-1),
  };
}
