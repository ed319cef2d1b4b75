import { countBefore } from "@/binary-search";

export const codePoints = (text: string) => [...text].length;

/** From code points, which offsets of the API count, to the units of a JavaScript string. */
export function unitsAt(text: string, offset: number): number {
  let units = 0;
  for (let seen = 0; seen < offset && units < text.length; seen += 1)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}

/** The same for many offsets of one text. */
export class CodePoints {
  /** Where each character that takes two units begins. */
  private readonly pairs: number[] = [];

  constructor(private readonly text: string) {
    for (const { index } of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) this.pairs.push(index);
  }

  toUnits(offset: number): number {
    // The pair with number i begins at the code point pairs[i] - i.
    return Math.min(this.text.length, offset + countBefore(this.pairs, (pair, i) => pair - i < offset));
  }

  /** Within a pair: its beginning. */
  fromUnits(index: number): number {
    return index - countBefore(this.pairs, (pair) => pair < index);
  }
}
