import type { Span } from "./span";

/** Where browsers have no segmenter: after a full stop, or its like, and white space. */
const END = /[.!?…]+["'”’»)\]]*\s+|[。！？]["'”’»)\]]*/g;

function* plainSentences(line: string): Generator<Span> {
  let start = 0;
  for (const { index, 0: found } of line.matchAll(END)) {
    yield { start, end: index + found.length };
    start = index + found.length;
  }
  if (start < line.length) yield { start, end: line.length };
}

function* segmented(line: string, lang: string): Generator<Span> {
  const segmenter = new Intl.Segmenter(lang, { granularity: "sentence" });
  for (const { index, segment } of segmenter.segment(line)) yield { start: index, end: index + segment.length };
}

/** A language that the browser does not know is no reason to fail; pages also write `en_US`. */
export function languageOr(lang: string | null | undefined, fallback = "en"): string {
  try {
    return Intl.getCanonicalLocales((lang ?? fallback).replaceAll("_", "-"))[0] ?? fallback;
  } catch {
    return fallback;
  }
}

/** The sentences of a text; a line (a paragraph) ends its last one. Without the white space at their ends. */
export function sentencesOf(text: string, lang?: string | null): Span[] {
  const spans: Span[] = [];
  const known = languageOr(lang);
  let at = 0;
  for (const line of text.split("\n")) {
    for (const { start, end } of "Segmenter" in Intl ? segmented(line, known) : plainSentences(line)) {
      const words = line.slice(start, end);
      if (words.trim() === "") continue;
      const from = at + start + (words.length - words.trimStart().length);
      spans.push({ start: from, end: from + words.trim().length });
    }
    at += line.length + 1;
  }
  return spans;
}

/** The first sentence that begins at `index` or later, within the lines around it; else the one that holds it. */
export function sentenceFrom(text: string, index: number, lang?: string | null): Span | null {
  const from = text.lastIndexOf("\n", index - 1) + 1;
  const next = text.indexOf("\n", index);
  const after = next < 0 ? text.length : text.indexOf("\n", next + 1);
  const spans = sentencesOf(text.slice(from, after < 0 ? text.length : after), lang);
  const shifted = spans.map(({ start, end }) => ({ start: start + from, end: end + from }));
  return shifted.find(({ start }) => start >= index) ?? shifted.at(-1) ?? null;
}
