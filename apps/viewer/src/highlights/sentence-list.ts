import { sentencesOf } from "@/positions/sentences";
import type { ShownFragment, ShownText } from "./shown-text";

interface Sentence {
  fragment: ShownFragment;
  /** Indexes of the words of the fragment that are shown. */
  start: number;
  end: number;
}

/** The sentences of a text that is shown, in order: what the keyboard selects. */
export class SentenceList {
  private readonly sentences: Sentence[];

  constructor(
    private readonly text: ShownText,
    lang: string | null,
  ) {
    this.sentences = text.fragments.flatMap((fragment) =>
      sentencesOf(fragment.shown, lang).map((span) => ({ fragment, ...span })),
    );
  }

  private get last(): number {
    return this.sentences.length - 1;
  }

  private orderOf({ fragment }: { fragment: ShownFragment }): number {
    return this.text.fragments.indexOf(fragment);
  }

  rangeOf(index: number): Range | null {
    const sentence = this.sentences[index];
    return sentence ? sentence.fragment.shownRange(sentence.start, sentence.end) : null;
  }

  /** The first that begins below a line of the window, else the last one; -1: there is none at all. */
  below(line: number): number {
    const at = this.sentences.findIndex(({ fragment }) => fragment.element.getBoundingClientRect().bottom > line);
    const fragment = this.sentences[at]?.fragment;
    if (!fragment) return this.last;
    const first = fragment.firstBelow(line) ?? 0;
    const found = this.sentences.findIndex(
      (one, index) => index >= at && (one.fragment !== fragment || one.start >= first),
    );
    return found < 0 ? this.last : found;
  }

  /** The first that ends behind what is selected, else the last one. */
  after(selected: Range): number {
    const end = this.text.spansIn(selected).at(-1);
    if (!end) return this.last;
    const found = this.sentences.findIndex((one) =>
      one.fragment === end.fragment ? one.end > end.end : this.orderOf(one) > this.orderOf(end),
    );
    return found < 0 ? this.last : found;
  }

  /** The last that begins before what is selected, else the first one. */
  before(selected: Range): number {
    const start = this.text.spansIn(selected)[0];
    if (!start) return 0;
    const found = this.sentences.findLastIndex((one) =>
      one.fragment === start.fragment ? one.start < start.start : this.orderOf(one) < this.orderOf(start),
    );
    return Math.max(0, found);
  }
}
