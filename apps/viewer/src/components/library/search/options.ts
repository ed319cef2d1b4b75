import type { SearchSuggestion } from "@/api/types";
import { folded } from "@/device/decisions";

/** A line below the search box. `q`: what is searched for next. */
export type Option =
  | { kind: "recent"; q: string }
  | { kind: "operator"; name: string; q: string }
  | { kind: "value"; label: string; count: number | null; q: string }
  | { kind: "forget"; q: string };

const RECENT_FIRST = 5;
const RECENT_BESIDE = 2;

const quoted = (value: string) => (/\s/.test(value) ? `"${value}"` : value);

function ofSuggestion({ operator, value, count, q }: SearchSuggestion): Option {
  if (value === "") return { kind: "operator", name: operator, q };
  return { kind: "value", label: `${operator}:${quoted(value)}`, count, q };
}

/** What was typed may become: earlier searches that begin so, operators, and values of the user's own entries. */
export function optionsFor(typed: string, recent: string[], suggestions: SearchSuggestion[]): Option[] {
  const begin = folded(typed);
  // After a space any operator could follow: all of them would cover the results.
  const isBetween = begin !== "" && /\s$/.test(typed);
  const earlier = recent
    .filter((one) => folded(one).startsWith(begin) && folded(one) !== begin)
    .slice(0, begin ? RECENT_BESIDE : RECENT_FIRST);
  return [
    ...earlier.map((q): Option => ({ kind: "recent", q })),
    ...(begin === "" && earlier.length ? [{ kind: "forget", q: "" } as const] : []),
    ...(isBetween ? [] : suggestions.map(ofSuggestion)),
  ];
}

/** The same search with a word of it as it was typed: words in quotes are not corrected. */
export function insisting(q: string, word: string): string {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return q.replace(new RegExp(`(?<![\\p{L}\\p{N}"])${escaped}(?![\\p{L}\\p{N}"])`, "iu"), `"${word}"`);
}

/** The words that were searched for instead. */
export function corrected(q: string, corrections: Record<string, string>): string {
  let meant = q;
  for (const [typed, word] of Object.entries(corrections)) meant = meant.replace(typed, word);
  return meant.trim();
}

/** Phrases become words; what is quoted for an operator, or left out, stays as it is. */
export const withoutQuotes = (q: string) => q.replace(/(^|\s)["“”„«»]([^"“”„«»]*)["“”„«»]?/g, "$1$2").trim();
