import type { TextPart } from "@/api/types";
import { folded } from "@/device/decisions";
import type { Span } from "@/positions/span";
import { UNSPACED_SCRIPTS } from "@/unspaced-scripts";

/** What is looked for in what this browser keeps. Words are beginnings of words: stems are the server's. */
export interface OfflineQuery {
  required: RegExp[];
  excluded: RegExp[];
}

const TOKEN = /(-?)(?:["“”„«»]([^"“”„«»]*)["“”„«»]?|(\S+))/gu;
const OPERATOR = /^(?:site|author|tag|kind|lang|before|after|in|is):./i;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** A word of these may begin anywhere. */
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, "u");

function patternOf(text: string, isPhrase: boolean): RegExp | null {
  const words = folded(text).match(WORD);
  if (!words) return null;
  const begin = UNSPACED.test(words[0] ?? "") ? "" : "(?<![\\p{L}\\p{N}])";
  const end = isPhrase && begin ? "(?![\\p{L}\\p{N}])" : "";
  return new RegExp(begin + words.join("[^\\p{L}\\p{N}]+") + end, "gu");
}

/** Null: operators and "OR" need the server. */
export function parseQuery(q: string): OfflineQuery | null {
  const query: OfflineQuery = { required: [], excluded: [] };
  for (const [, minus, phrase, plain = ""] of q.matchAll(TOKEN)) {
    if (plain === "OR" || OPERATOR.test(plain)) return null;
    const pattern = patternOf(phrase ?? plain, phrase !== undefined);
    if (pattern) query[minus ? "excluded" : "required"].push(pattern);
  }
  return query.required.length ? query : null;
}

const known = new Map<string, string>();
function foldedCharacter(character: string): string {
  let found = known.get(character);
  if (found === undefined) {
    found = /\s/.test(character) ? " " : folded(character);
    known.set(character, found);
  }
  return found;
}

/** Without capitals and accents, and where each of its characters stands in the text. */
function foldText(text: string): { folded: string; at: number[] } {
  let result = "";
  const at: number[] = [];
  let index = 0;
  for (const character of text) {
    const plain = foldedCharacter(character);
    for (let n = 0; n < plain.length; n += 1) at.push(index);
    result += plain;
    index += character.length;
  }
  at.push(text.length);
  return { folded: result, at };
}

/** Where each of the patterns stands in a text, in its own units. */
export function spansIn(text: string, patterns: RegExp[]): Span[][] {
  const { folded: plain, at } = foldText(text);
  return patterns.map((pattern) =>
    [...plain.matchAll(pattern)].map(({ index, 0: { length } }) => ({
      start: at[index] ?? 0,
      end: at[index + length] ?? text.length,
    })),
  );
}

/** A part of a text with its hits marked. */
export function marked(text: string, spans: Span[], from = 0, to = text.length): TextPart[] {
  const parts: TextPart[] = [];
  let at = from;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end > to) continue;
    if (start > at) parts.push({ text: text.slice(at, start), hit: false });
    parts.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < to) parts.push({ text: text.slice(at, to), hit: false });
  return parts;
}
