import type { Highlight } from "@/api/highlights";
import type { Fragment } from "@/api/types";
import { codePoints } from "@/positions/code-points";
import type { Passage, TextOffset } from "./shown-text";

/** What is shorter stands in places that have nothing to do with each other, unless its context is the same. */
const SHORT_CHARS = 32;

export type PassageRange = Pick<Passage, "start" | "end">;

/** Where the same words are in another version of the text; null: nowhere, or in several places. */
export function findPassage(fragments: Fragment[], { quote, prefix, suffix }: Highlight): PassageRange | null {
  const text = fragments.map(({ canonical_text }) => canonical_text).join("\n");
  const whole = onlyIndex(text, prefix + quote + suffix);
  const start = whole === null ? (quote.length < SHORT_CHARS ? null : onlyIndex(text, quote)) : whole + prefix.length;
  return start === null ? null : { start: offsetAt(fragments, start), end: offsetAt(fragments, start + quote.length) };
}

function onlyIndex(text: string, words: string): number | null {
  const first = text.indexOf(words);
  return first >= 0 && text.indexOf(words, first + 1) < 0 ? first : null;
}

/** `index`: in the fragments, joined with line feeds. */
function offsetAt(fragments: Fragment[], index: number): TextOffset {
  let left = index;
  for (const { idx, canonical_text } of fragments) {
    if (left <= canonical_text.length) return { fragment_idx: idx, offset: codePoints(canonical_text.slice(0, left)) };
    left -= canonical_text.length + 1;
  }
  throw new RangeError("the text ends before");
}
