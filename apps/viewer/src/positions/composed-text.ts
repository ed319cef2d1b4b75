import { countBefore } from "@/binary-search";

/** A letter with its marks: nothing else is composed across its borders but the parts of Korean syllables. */
const SEGMENT = /[^\p{M}\s]\p{M}*|\s|\p{M}+/gu;
const KOREAN = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

/** A text before and after its letters are composed with their marks (NFC), and which index of one is which of the other. */
export class ComposedText {
  readonly text: string;
  /** Where each segment begins, before and after; empty when the text was composed already. */
  private readonly before: number[] = [];
  private readonly after: number[] = [];

  constructor(readonly raw: string) {
    this.text = raw.normalize("NFC");
    if (this.text !== raw) this.align();
  }

  private align(): void {
    let [before, after, last] = [0, 0, ""];
    for (const [segment] of this.raw.matchAll(SEGMENT)) {
      const joined = last + segment;
      if (
        last &&
        KOREAN.test(segment[0] as string) &&
        joined.normalize("NFC") !== last.normalize("NFC") + segment.normalize("NFC")
      ) {
        // A vowel or a final consonant joins the syllable before it.
        after += joined.normalize("NFC").length - last.normalize("NFC").length;
        last = joined;
      } else {
        this.before.push(before);
        this.after.push(after);
        after += segment.normalize("NFC").length;
        last = segment;
      }
      before += segment.length;
    }
    this.before.push(before);
    this.after.push(after);
  }

  /** `isEnd`: within a segment, its end and not its beginning. */
  toText(index: number, isEnd = false): number {
    return moved(index, this.before, this.after, isEnd);
  }

  toRaw(index: number, isEnd = false): number {
    return moved(index, this.after, this.before, isEnd);
  }
}

function moved(index: number, from: number[], to: number[], isEnd: boolean): number {
  if (from.length === 0) return index;
  const next = countBefore(from, (start) => start <= index);
  const isInside = from[next - 1] !== index;
  return to[Math.min(to.length - 1, isInside && isEnd ? next : next - 1)] as number;
}
