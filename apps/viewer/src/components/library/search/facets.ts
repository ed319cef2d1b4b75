import type { Search } from "@/api/filters";
import type { Facets, Kind } from "@/api/types";
import * as texts from "@/texts";
import { hasTag, toggledTag } from "../filters/views";

interface Choice {
  key: string;
  label: string;
  count: number;
  /** The search narrowed to it. */
  narrowed: Search;
}
interface ChoiceGroup {
  name: keyof Facets;
  choices: Choice[];
}

const MAX_CHOICES = 6;
/** A single value narrows nothing. */
const MIN_CHOICES = 2;

const inYear = (search: Search, year: string): Search => ({
  ...search,
  q: `${search.q.trim()} after:${year} before:${Number(year) + 1} `,
});

const NARROW: Record<keyof Facets, (search: Search, value: string) => Search | null> = {
  kind: (search, value) => (search.kind ? null : { ...search, kind: value as Kind }),
  site: (search, value) => (search.site ? null : { ...search, site: value }),
  tag: (search, value) => (hasTag(search, value) ? null : { ...search, ...toggledTag(search, value) }),
  year: (search, value) => (/\b(?:after|before):/.test(search.q) ? null : inYear(search, value)),
};

const labelOf = (name: keyof Facets, value: string) =>
  name === "kind" ? (texts.kinds[value as Kind] ?? value) : value;

/** By what the results can be narrowed, apart from what they are narrowed by already. */
export function choicesOf(search: Search, facets: Facets): ChoiceGroup[] {
  const names = Object.keys(NARROW) as (keyof Facets)[];
  return names.flatMap((name) => {
    const choices = facets[name].flatMap(({ value, count }) => {
      const narrowed = NARROW[name](search, value);
      return narrowed ? [{ key: `${name} ${value}`, label: labelOf(name, value), count, narrowed }] : [];
    });
    const isWorth = choices.length >= MIN_CHOICES || (name === "tag" && choices.length > 0);
    return isWorth ? [{ name, choices: choices.slice(0, MAX_CHOICES) }] : [];
  });
}
