import type { Fragment } from "@/api/types";
import { CodePoints } from "@/positions/code-points";
import { ElementText } from "@/positions/element-text";
import type { Span } from "@/positions/span";
import { elementsOf } from "@/positions/useSentences";

export interface TextOffset {
  fragment_idx: number;
  /** In code points of the fragment's canonical text. */
  offset: number;
}

/** A part of the text, with its words and what stands around them: they find it again when the text has changed. */
export interface Passage {
  start: TextOffset;
  end: TextOffset;
  quote: string;
  prefix: string;
  suffix: string;
}

const CONTEXT_CHARS = 64;

/** A fragment that is shown, and where its canonical text stands on the page. */
export class ShownFragment {
  readonly idx: number;
  readonly canonical: string;
  private known: { onPage: ElementText; lead: number; points: CodePoints } | null = null;

  constructor(
    fragment: Fragment,
    readonly element: HTMLElement,
  ) {
    this.idx = fragment.idx;
    this.canonical = fragment.canonical_text;
  }

  /** `lead`: how much of its text is not shown in it, the name of a transcript's speaker. */
  private get text() {
    if (!this.known) {
      const onPage = new ElementText(this.element);
      const lead = this.canonical.endsWith(onPage.text) ? this.canonical.length - onPage.text.length : 0;
      this.known = { onPage, lead, points: new CodePoints(this.canonical) };
    }
    return this.known;
  }

  /** The words of it that are shown. */
  get shown(): string {
    return this.text.onPage.text;
  }

  shownRange(start: number, end: number): Range | null {
    return this.text.onPage.range(start, end);
  }

  /** The index of the first shown character below a line of the window. */
  firstBelow(line: number): number | null {
    return this.text.onPage.firstBelow(line);
  }

  /** The indexes of what is shown that are between two points of the page. */
  spanOf(range: Range): Span | null {
    return this.text.onPage.spanOf(range);
  }

  /** `index`: in what is shown. */
  offsetAt(index: number): TextOffset {
    return { fragment_idx: this.idx, offset: this.text.points.fromUnits(index + this.text.lead) };
  }

  /** Up to an index of what is shown; the speaker of a line stands before it. */
  before(index: number): string {
    return this.canonical.slice(0, index + this.text.lead);
  }

  from(index: number): string {
    return this.canonical.slice(index + this.text.lead);
  }

  /** `from`, `to`: in code points; null: its beginning, or its end. */
  rangeOf(from: number | null, to: number | null): Range | null {
    const { onPage, lead, points } = this.text;
    const start = from === null ? 0 : Math.max(0, points.toUnits(from) - lead);
    const end = to === null ? onPage.text.length : points.toUnits(to) - lead;
    return end > start ? onPage.range(start, end) : null;
  }
}

/** The text of the reader: what is selected in it, and where a passage of it stands. */
export class ShownText {
  readonly fragments: ShownFragment[];

  constructor(body: HTMLElement | null, fragments: Fragment[]) {
    const elements = elementsOf(body, fragments);
    this.fragments = fragments.flatMap((fragment, index) => {
      const element = elements[index];
      return element ? [new ShownFragment(fragment, element)] : [];
    });
  }

  /** The words of each fragment that are selected. */
  spansIn(range: Range): (Span & { fragment: ShownFragment })[] {
    return this.fragments
      .filter((fragment) => range.intersectsNode(fragment.element))
      .flatMap((fragment) => {
        const span = fragment.spanOf(range);
        return span ? [{ fragment, ...span }] : [];
      });
  }

  /** Null: no words of the text are selected. */
  passageOf(range: Range): Passage | null {
    const selected = this.spansIn(range);
    const [first, last] = [selected[0], selected.at(-1)];
    if (!first || !last) return null;
    return {
      start: first.fragment.offsetAt(first.start),
      end: last.fragment.offsetAt(last.end),
      quote: this.between(first, last),
      prefix: lastChars(first.fragment.before(first.start)),
      suffix: firstChars(last.fragment.from(last.end)),
    };
  }

  private between(first: Span & { fragment: ShownFragment }, last: Span & { fragment: ShownFragment }): string {
    const inside = this.fragments.slice(
      this.fragments.indexOf(first.fragment),
      this.fragments.indexOf(last.fragment) + 1,
    );
    const quote = inside.map((fragment) =>
      fragment === last.fragment ? fragment.before(last.end) : fragment.canonical,
    );
    return quote.join("\n").slice(first.fragment.before(first.start).length);
  }

  /** One for each fragment that it has words in. */
  rangesOf({ start, end }: Pick<Passage, "start" | "end">): Range[] {
    return this.fragments
      .filter(({ idx }) => idx >= start.fragment_idx && idx <= end.fragment_idx)
      .flatMap((fragment) => {
        const from = fragment.idx === start.fragment_idx ? start.offset : null;
        const to = fragment.idx === end.fragment_idx ? end.offset : null;
        return fragment.rangeOf(from, to) ?? [];
      });
  }
}

/** Whole characters: no half of a pair. */
const firstChars = (text: string) => [...text.slice(0, 2 * CONTEXT_CHARS)].slice(0, CONTEXT_CHARS).join("");
const lastChars = (text: string) =>
  [...text.slice(-2 * CONTEXT_CHARS)]
    .slice(-CONTEXT_CHARS)
    .join("")
    .replace(/^[\udc00-\udfff]/, "");
