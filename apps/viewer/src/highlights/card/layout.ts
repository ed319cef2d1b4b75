import { ellipsized, type Measure, wrapLines } from "./wrap-lines";

export const WIDTH = 1080;
export const PADDING = 96;
/** Between the coloured bar and the words. */
export const INDENT = 44;
export const LINE = 1.42;
export const SOURCE_SIZE = 30;
export const SOURCE_LINE = 42;
export const SOURCE_GAP = 64;

const TEXT_WIDTH = WIDTH - 2 * PADDING - INDENT;
const SQUARE = 1080;
const MAX_HEIGHT = 2400;
const SIZES = [68, 60, 52, 46, 40, 36];
const SOURCE_LINES = 2;

export interface Layout {
  height: number;
  size: number;
  lines: string[];
  source: string[];
  isRtl: boolean;
  /** The end of the quote has no room. */
  isCut: boolean;
}

interface Measures {
  quote: (size: number) => Measure;
  source: Measure;
}

/** By the first letter that has a direction, as `dir="auto"` does. */
export function isRightToLeft(text: string): boolean {
  const letter = text.match(/\p{L}/u)?.[0] ?? "";
  return /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u.test(letter);
}

/** The largest letters that fit into a square; a longer quote makes the picture higher, and a very long one is cut. */
export function layOut(quote: string, sources: string[], measures: Measures): Layout {
  const source = sources.flatMap((one) => shortened(wrapLines(one, TEXT_WIDTH, measures.source), measures.source));
  const around = 2 * PADDING + SOURCE_GAP + source.length * SOURCE_LINE;
  const isRtl = isRightToLeft(quote);
  // No picture shows more: to measure fifty thousand characters would take seconds.
  const words = quote.trim().slice(0, MAX_CHARS);
  for (const size of SIZES) {
    const lines = wrapLines(words, TEXT_WIDTH, measures.quote(size));
    const isLast = size === SIZES.at(-1);
    const most = Math.floor(((isLast ? MAX_HEIGHT : SQUARE) - around) / (size * LINE));
    if (lines.length > most && !isLast) continue;
    const isCut = lines.length > most || words.length < quote.trim().length;
    const shown = lines.slice(0, most);
    if (isCut) shown.push(ellipsized(shown.pop() ?? "", TEXT_WIDTH, measures.quote(size), true));
    const height = Math.max(SQUARE, Math.ceil(shown.length * size * LINE + around));
    return { height, size, lines: shown, source, isRtl, isCut };
  }
  throw new Error("There is a size for every quote.");
}

const MAX_CHARS = 6000;

function shortened(lines: string[], measure: Measure): string[] {
  if (lines.length <= SOURCE_LINES) return lines;
  const last = lines[SOURCE_LINES - 1] ?? "";
  return [...lines.slice(0, SOURCE_LINES - 1), ellipsized(last, TEXT_WIDTH, measure, true)];
}
