import type { Fragment } from "@/api/types";
import { codePoints } from "@/positions/code-points";
import { sentencesOf } from "@/positions/sentences";

/** A sentence, and where it stands: from one index to another of its fragment's canonical text. */
export interface Spoken {
  text: string;
  fragment: number;
  start: number;
  end: number;
  /** `start` in code points. */
  offset: number;
  /** How many characters are spoken before it. */
  before: number;
}

/** What one utterance may be: browsers stop those of some voices after fifteen seconds. */
const MAX_CHARS = 180;
/** Marks alone, such as a line of stars, are not read out. */
const HAS_WORDS = /[\p{L}\p{N}]/u;

export function charactersIn(sentences: Spoken[]): number {
  const last = sentences.at(-1);
  return last ? last.before + last.text.length : 0;
}

/** All sentences in their order, and the numbers of those with which a paragraph begins. */
export function spokenTextOf(
  fragments: Fragment[],
  lang: string | null,
): { sentences: Spoken[]; paragraphs: number[] } {
  const sentences: Spoken[] = [];
  const paragraphs: number[] = [];
  for (const { idx, canonical_text: text } of fragments) {
    let [last, offset, counted] = [-1, 0, 0];
    for (const { start, end } of sentencesOf(text, lang)) {
      if (!HAS_WORDS.test(text.slice(start, end))) continue;
      const isNew = last < 0 || text.slice(last, start).includes("\n");
      if (isNew) paragraphs.push(sentences.length);
      offset += codePoints(text.slice(counted, start));
      counted = start;
      const before = charactersIn(sentences);
      sentences.push({ text: text.slice(start, end), fragment: idx, start, end, offset, before });
      last = end;
    }
  }
  return { sentences, paragraphs };
}

/** Cut after a comma or its like where there is one, else between words, else anywhere. */
export function utterancesOf(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence.trim();
  while (rest.length > MAX_CHARS) {
    const head = rest.slice(0, MAX_CHARS);
    const comma = Math.max(...[", ", "; ", ": ", " – ", "，", "、"].map((mark) => head.lastIndexOf(mark)));
    const cut = comma > MAX_CHARS / 3 ? comma + 1 : head.lastIndexOf(" ");
    parts.push(rest.slice(0, cut > 0 ? cut : MAX_CHARS).trim());
    rest = rest.slice(cut > 0 ? cut : MAX_CHARS).trim();
  }
  return rest ? [...parts, rest] : parts;
}
