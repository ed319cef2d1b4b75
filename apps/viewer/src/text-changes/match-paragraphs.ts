import { Numbering } from "./numbering";
import { type Word, wordsOf } from "./split-words";

/** A paragraph of the old text, of the new one, or of both where one became the other. */
export interface Pair {
  before: Word[] | null;
  after: Word[] | null;
}

/** Below it, two paragraphs have little in common but "the" and "of": they are shown as removed and added. */
const ALIKE = 0.4;
/** A million pairs of paragraphs take seconds. Above this, each half of a text is compared with the same half only. */
const MAX_COMPARISONS = 250_000;

interface Paragraph {
  words: Word[];
  /** The numbers of its words, sorted. */
  sorted: Int32Array;
}

/** Share of the words that both have, as often as both have them. */
function similarity(one: Int32Array, other: Int32Array): number {
  const total = one.length + other.length;
  if (total === 0 || (2 * Math.min(one.length, other.length)) / total < ALIKE) return 0;
  let [left, right, shared] = [0, 0, 0];
  while (left < one.length && right < other.length) {
    const difference = (one[left] as number) - (other[right] as number);
    if (difference === 0) shared += 1;
    if (difference <= 0) left += 1;
    if (difference >= 0) right += 1;
  }
  return (2 * shared) / total;
}

/** Which paragraphs became which, in order, so that as many words as possible stay in their place. */
function bestPairs(before: Paragraph[], after: Paragraph[]): [number, number][] {
  const [rows, columns] = [before.length, after.length];
  const width = columns + 1;
  const best = new Float32Array((rows + 1) * width);
  const paired = new Uint8Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const [here, below, diagonal] = [
        row * width + column,
        (row + 1) * width + column,
        (row + 1) * width + column + 1,
      ];
      best[here] = Math.max(best[below] as number, best[here + 1] as number);
      const alike = similarity((before[row] as Paragraph).sorted, (after[column] as Paragraph).sorted);
      // Weighed by length: a long paragraph that moved a little matters more than two short ones.
      const gain = alike * (before[row] as Paragraph).sorted.length + (best[diagonal] as number);
      if (alike >= ALIKE && gain > (best[here] as number)) {
        best[here] = gain;
        paired[here] = 1;
      }
    }
  }
  return followPairs(best, paired, rows, columns);
}

function followPairs(best: Float32Array, paired: Uint8Array, rows: number, columns: number): [number, number][] {
  const pairs: [number, number][] = [];
  const width = columns + 1;
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    const here = row * width + column;
    if (paired[here]) {
      pairs.push([row, column]);
      row += 1;
      column += 1;
    } else if (best[here] === best[here + width]) row += 1;
    else column += 1;
  }
  return pairs;
}

function match(before: Paragraph[], after: Paragraph[]): Pair[] {
  if (before.length * after.length > MAX_COMPARISONS) {
    const [row, column] = [before.length >> 1, after.length >> 1];
    return [...match(before.slice(0, row), after.slice(0, column)), ...match(before.slice(row), after.slice(column))];
  }
  const result: Pair[] = [];
  let [row, column] = [0, 0];
  for (const [nextRow, nextColumn] of [...bestPairs(before, after), [before.length, after.length] as const]) {
    for (const { words } of before.slice(row, nextRow)) result.push({ before: words, after: null });
    for (const { words } of after.slice(column, nextColumn)) result.push({ before: null, after: words });
    const [one, other] = [before[nextRow], after[nextColumn]];
    if (one && other) result.push({ before: one.words, after: other.words });
    [row, column] = [nextRow + 1, nextColumn + 1];
  }
  return result;
}

/** Paragraphs that were replaced, and what replaced them. */
export function matchParagraphs(removed: readonly string[], added: readonly string[]): Pair[] {
  const numbering = new Numbering();
  const read = (text: string): Paragraph => {
    const words = wordsOf(text);
    return { words, sorted: Int32Array.from(words, (word) => numbering.of(word.text)).sort() };
  };
  return match(removed.map(read), added.map(read));
}
