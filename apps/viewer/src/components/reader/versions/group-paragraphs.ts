import type { Paragraph } from "@/text-changes/compare-texts";
import { wordsOf } from "@/text-changes/split-words";

interface Group {
  /** Unchanged, and so long that it is shown on request only. */
  isLong: boolean;
  paragraphs: Paragraph[];
}

/** Unchanged paragraphs beside a changed one that are shown with it. */
const CONTEXT = 1;
/** A button instead of one or two paragraphs saves no space. */
const MIN_HIDDEN = 3;

const isSame = (paragraph: Paragraph) => paragraph.every(({ change }) => change === "same");

function runsOf(paragraphs: Paragraph[]): Paragraph[][] {
  const runs: Paragraph[][] = [];
  for (const paragraph of paragraphs) {
    const last = runs.at(-1);
    if (last?.[0] && isSame(last[0]) === isSame(paragraph)) last.push(paragraph);
    else runs.push([paragraph]);
  }
  return runs;
}

/** Changed paragraphs with what surrounds them, and the long unchanged parts between. */
export function groupParagraphs(paragraphs: Paragraph[]): Group[] {
  const runs = runsOf(paragraphs);
  return runs.flatMap((run, index): Group[] => {
    const head = index > 0 ? CONTEXT : 0;
    const tail = index < runs.length - 1 ? CONTEXT : 0;
    const isUnchanged = run[0] !== undefined && isSame(run[0]);
    if (!isUnchanged || run.length - head - tail < MIN_HIDDEN) return [{ isLong: false, paragraphs: run }];
    return [
      { isLong: false, paragraphs: run.slice(0, head) },
      { isLong: true, paragraphs: run.slice(head, run.length - tail) },
      { isLong: false, paragraphs: run.slice(run.length - tail) },
    ];
  });
}

const WORD = /[\p{L}\p{N}]/u;

/** Words that were added and removed; punctuation is not counted. */
export function countChanges(paragraphs: Paragraph[]): { added: number; removed: number } {
  const counts = { added: 0, removed: 0 };
  for (const { change, text } of paragraphs.flat()) {
    if (change !== "same") counts[change] += wordsOf(text).filter((word) => WORD.test(word.text)).length;
  }
  return counts;
}
