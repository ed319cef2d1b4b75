import type { Fragment, TextHit } from "@/api/types";
import { CodePoints } from "@/positions/code-points";
import { ElementText } from "@/positions/element-text";
import { scrollIntoReadingZone } from "@/positions/scroll-to-range";
import { elementsOf } from "@/positions/useSentences";

export interface ShownHit {
  fragment: number;
  /** In code points of the fragment's text, as the server counts. */
  offset: number;
  range: Range;
  /** The words around it, for those who hear the page. */
  around: string;
}

const AROUND = 60;

/** How much of a fragment's text is not shown: the speaker of a line stands above it. Null: another text is shown. */
function hiddenBefore(text: string, shown: string): number | null {
  return text.endsWith(shown) ? text.length - shown.length : null;
}

const isInSight = (range: Range) => range.getClientRects().length > 0;

function around(text: string, start: number, end: number): string {
  const words = text.slice(Math.max(0, start - AROUND), end + AROUND).replace(/\s+/g, " ");
  return `${start > AROUND ? "…" : ""}${words}${end + AROUND < text.length ? "…" : ""}`;
}

/** Where the hits stand on the page; without those in what is not shown, such as a title that is above the text. */
export function hitRanges(body: HTMLElement, fragments: Fragment[], hits: TextHit[]): ShownHit[] {
  const elements = elementsOf(body, fragments);
  const found: ShownHit[] = [];
  for (const [index, { idx, canonical_text: text }] of fragments.entries()) {
    const element = elements[index];
    const inside = hits.filter((hit) => hit.fragment_idx === idx);
    if (!element || inside.length === 0) continue;
    const elementText = new ElementText(element);
    const hidden = hiddenBefore(text, elementText.text);
    if (hidden === null) continue;
    const points = new CodePoints(text);
    for (const hit of inside) {
      const [start, end] = [points.toUnits(hit.start), points.toUnits(hit.end)];
      const range = start >= hidden ? elementText.range(start - hidden, end - hidden) : null;
      if (range && isInSight(range))
        found.push({ fragment: idx, offset: hit.start, range, around: around(text, start, end) });
    }
  }
  return found;
}

/** The index of the hit that a search result was opened at, or of the next one after it. */
export function indexFrom(hits: ShownHit[], at: { fragment: number; offset: number } | null): number {
  if (!at) return 0;
  const isFrom = ({ fragment, offset }: ShownHit) =>
    fragment > at.fragment || (fragment === at.fragment && offset >= at.offset);
  return Math.max(0, hits.findIndex(isFrom));
}

/** A hit stands lower than a sentence that is read on from. */
const HIT_ZONE = { top: 0.15, bottom: 0.75, line: 0.35 };

export function bringIntoSight(range: Range): void {
  const box = range.startContainer.parentElement?.closest<HTMLElement>("pre, .scrolls");
  const [inner, outer] = [range.getBoundingClientRect(), box?.getBoundingClientRect()];
  if (box && outer && (inner.left < outer.left || inner.right > outer.right))
    box.scrollLeft += inner.left - outer.left - outer.width / 3;
  scrollIntoReadingZone(range, HIT_ZONE);
}
