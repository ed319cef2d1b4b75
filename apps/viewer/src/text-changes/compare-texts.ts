// What changed between two texts: first which paragraphs, then which words of them.
import { diffArrays } from "diff";
import { matchParagraphs, type Pair } from "./match-paragraphs";
import { Numbering } from "./numbering";
import { textOf, type Word } from "./split-words";

type Change = "same" | "added" | "removed";

interface Part {
  change: Change;
  text: string;
}

/** Parts of one paragraph; an unchanged one is a single part. */
export type Paragraph = Part[];

/** The algorithm takes time with the square of it; beyond, all of it is removed and added. */
const MAX_EDITED_PARAGRAPHS = 2_000;
const MAX_EDITED_WORDS = 1_500;
/** This few equal words between changed ones, such as "the", are chance; kept, they make the rest hard to read. */
const LONE_WORDS = 2;

interface Run {
  change: Change;
  words: Word[];
}

interface Hunk {
  same: string[];
  removed: string[];
  added: string[];
}

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

/** What the algorithm found; where it gave up, everything is different. */
function edits(before: number[], after: number[], most: number): { change: Change; length: number }[] {
  const found = diffArrays(before, after, { maxEditLength: most });
  if (!found)
    return [
      { change: "removed", length: before.length },
      { change: "added", length: after.length },
    ];
  return found.map(({ added, removed, value }) => ({
    change: added ? "added" : removed ? "removed" : "same",
    length: value.length,
  }));
}

/** Paragraphs that only one text has are set aside first: comparing a text that was rewritten took seconds. */
function unchangedPairs(before: string[], after: string[]): [number, number][] {
  const numbering = new Numbering();
  const [old, fresh] = [before.map((text) => numbering.of(text)), after.map((text) => numbering.of(text))];
  const [inOld, inFresh] = [new Set(old), new Set(fresh)];
  const oldIndexes = [...old.keys()].filter((index) => inFresh.has(old[index] as number));
  const freshIndexes = [...fresh.keys()].filter((index) => inOld.has(fresh[index] as number));
  const pairs: [number, number][] = [];
  let [row, column] = [0, 0];
  const found = edits(
    oldIndexes.map((index) => old[index] as number),
    freshIndexes.map((index) => fresh[index] as number),
    MAX_EDITED_PARAGRAPHS,
  );
  for (const { change, length } of found) {
    if (change === "same")
      for (let step = 0; step < length; step += 1)
        pairs.push([oldIndexes[row + step] as number, freshIndexes[column + step] as number]);
    if (change !== "added") row += length;
    if (change !== "removed") column += length;
  }
  return pairs;
}

function hunksOf(before: string[], after: string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  for (const [nextRow, nextColumn] of unchangedPairs(before, after)) {
    const last = hunks.at(-1);
    if (last && row === nextRow && column === nextColumn) last.same.push(after[column] as string);
    else
      hunks.push({
        removed: before.slice(row, nextRow),
        added: after.slice(column, nextColumn),
        same: [after[nextColumn] as string],
      });
    [row, column] = [nextRow + 1, nextColumn + 1];
  }
  hunks.push({ removed: before.slice(row), added: after.slice(column), same: [] });
  return hunks;
}

function wordRuns(before: Word[], after: Word[]): Run[] {
  const numbering = new Numbering();
  const numbered = (words: Word[]) => words.map((word) => numbering.of(word.text));
  const runs: Run[] = [];
  let [row, column] = [0, 0];
  for (const { change, length } of edits(numbered(before), numbered(after), MAX_EDITED_WORDS)) {
    const words = change === "removed" ? before.slice(row, row + length) : after.slice(column, column + length);
    runs.push({ change, words });
    if (change !== "added") row += length;
    if (change !== "removed") column += length;
  }
  return runs;
}

/** Neighbouring changes as one removal and one addition, over the lone words between them. */
function joinRuns(runs: Run[]): Run[] {
  const joined: Run[] = [];
  let [removed, added]: [Word[], Word[]] = [[], []];
  const close = () => {
    if (removed.length) joined.push({ change: "removed", words: removed });
    if (added.length) joined.push({ change: "added", words: added });
    [removed, added] = [[], []];
  };
  runs.forEach(({ change, words }, index) => {
    const most = Math.max(removed.length, added.length);
    const isLone = index < runs.length - 1 && words.length <= LONE_WORDS && words.length < most;
    if (change === "removed" || (change === "same" && isLone)) removed.push(...words);
    if (change === "added" || (change === "same" && isLone)) added.push(...words);
    if (change !== "same" || isLone) return;
    close();
    joined.push({ change, words });
  });
  close();
  return joined;
}

function paragraphOf({ before, after }: Pair): Paragraph {
  if (!before) return [{ change: "added", text: textOf(after ?? []) }];
  if (!after) return [{ change: "removed", text: textOf(before) }];
  return joinRuns(wordRuns(before, after)).map(({ change, words }) => ({ change, text: textOf(words) }));
}

/** Paragraphs in the order of the new text, removed ones where they were. */
export function compareTexts(before: string[], after: string[]): Paragraph[] {
  const said = (paragraphs: string[]) => paragraphs.map(plain).filter((text) => text !== "");
  return hunksOf(said(before), said(after)).flatMap(({ removed, added, same }) => [
    ...matchParagraphs(removed, added).map(paragraphOf),
    ...same.map((text): Paragraph => [{ change: "same", text }]),
  ]);
}
