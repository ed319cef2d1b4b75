import { UNSPACED_SCRIPTS } from "@/unspaced-scripts";

/** How wide a text is, in pixels. */
export type Measure = (text: string) => number;

/** By its first code point: a line may end after such a character. */
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}\\p{Extended_Pictographic}]`, "u");
/** A line begins with none of these, and ends with none of those. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ー々]/u;
const OPENING = /[\p{Ps}\p{Pi}]$/u;

/** Browsers of before 2024 may lack it: they break at spaces and between characters. */
const segmenterOf = (granularity: "word" | "grapheme") =>
  "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity }) : null;
const words = segmenterOf("word");
const graphemes = segmenterOf("grapheme");

const segmentsOf = (text: string): string[] =>
  words ? Array.from(words.segment(text), ({ segment }) => segment) : text.split(/(?<=\s)/);

/** What a reader takes for one character: a letter with its marks, an emoji of several. */
const charactersOf = (text: string): string[] =>
  graphemes ? Array.from(graphemes.segment(text), ({ segment }) => segment) : Array.from(text);

function canBreak(before: string, after: string): boolean {
  if (/\s$/.test(before)) return !/^\s/.test(after);
  if (/^\s/.test(after) || CLOSING.test(after) || OPENING.test(before)) return false;
  if (/[\p{Pd}/]$/u.test(before)) return true;
  return UNSPACED.test(charactersOf(before).at(-1) ?? "") || UNSPACED.test(charactersOf(after)[0] ?? "");
}

/** The parts of a paragraph that stay together, each with the spaces after it. */
export function unbreakableParts(paragraph: string): string[] {
  const parts: string[] = [];
  for (const segment of segmentsOf(paragraph)) {
    const last = parts.length - 1;
    const before = parts[last];
    if (before === undefined || canBreak(before, segment)) parts.push(segment);
    else parts[last] = before + segment;
  }
  return parts;
}

/** Lines no wider than that; a word that is wider, such as an address, is broken between two characters. */
export function wrapLines(text: string, width: number, measure: Measure): string[] {
  return text.split("\n").flatMap((paragraph) => linesOf(paragraph.trim(), width, measure));
}

function linesOf(paragraph: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = "";
  const add = (words: string) => {
    if (line && measure((line + words).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += words;
  };
  for (const part of unbreakableParts(paragraph)) {
    if (measure(part.trimEnd()) > width) for (const character of charactersOf(part)) add(character);
    else add(part);
  }
  return [...lines, line.trimEnd()];
}

/** Cut to the width, with an ellipsis; `isAlways`: also where it is short enough. */
export function ellipsized(line: string, width: number, measure: Measure, isAlways = false): string {
  if (!isAlways && measure(line) <= width) return line;
  const characters = charactersOf(line);
  while (characters.length && measure(`${characters.join("").trimEnd()}…`) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}
