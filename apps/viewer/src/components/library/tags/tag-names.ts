import { folded } from "@/device/decisions";

const MAX_CHARACTERS = 100;

/** As the server keeps it: no space around, one within. */
export const normalised = (typed: string) =>
  typed
    .trim()
    .replace(/\s+/g, " ")
    .replace(/ ?\/ ?/g, "/");

/** Why it cannot be the name of a tag. */
export function problemOf(name: string): "tooLong" | "emptyPart" | null {
  if (name.length > MAX_CHARACTERS) return "tooLong";
  return name.split("/").some((part) => part.trim() === "") ? "emptyPart" : null;
}

/** Each name once, whatever its case and accents. */
export function distinct(names: string[]): string[] {
  const found = new Map<string, string>();
  for (const name of names) if (!found.has(folded(name))) found.set(folded(name), name);
  return [...found.values()];
}

/** The tag of that name, else a new one; one that only begins like it is chosen with the arrows. */
export const offered = (found: string[], created: string | null): string[] => (created ? [created, ...found] : found);

const NO_MATCH = 4;

function rankOf(name: string, wanted: string): number {
  const known = folded(name);
  if (known === wanted) return 0;
  if (known.startsWith(wanted)) return 1;
  if (known.split(/[/ ]/).some((part) => part.startsWith(wanted))) return 2;
  return known.includes(wanted) ? 3 : NO_MATCH;
}

/** Those that `typed` may mean, the likeliest first; without it all, in their order. */
export function completions(names: string[], typed: string, limit = 100): string[] {
  const wanted = folded(typed);
  if (!wanted) return names.slice(0, limit);
  return names
    .map((name) => ({ name, rank: rankOf(name, wanted) }))
    .filter((one) => one.rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name))
    .slice(0, limit)
    .map((one) => one.name);
}
