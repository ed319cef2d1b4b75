import { countBefore } from "@/binary-search";
import { nodeOffsets, type TextRun, textRunsOf } from "@/canonical-text";
import { ComposedText } from "./composed-text";
import type { Span } from "./span";

const isWhite = (unit: string | undefined) => unit === " " || unit === "\n" || unit === "\t";

/** The canonical text of an element that is shown, and where each character of it stands on the page. */
export class ElementText {
  readonly text: string;
  private readonly composed: ComposedText;
  private readonly runs: TextRun[];
  private readonly offsets = new Map<TextRun, number[]>();

  constructor(root: Node) {
    const { raw, runs } = textRunsOf(root);
    this.composed = new ComposedText(raw);
    this.text = this.composed.text;
    this.runs = runs;
  }

  /** From one index of the text to another; null when there is nothing. */
  range(start: number, end: number): Range | null {
    const from = this.pointAt(this.composed.toRaw(start), 0);
    const to = end > start ? this.pointAt(this.composed.toRaw(end, true) - 1, 1) : from;
    if (!from || !to) return null;
    const range = document.createRange();
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    return range;
  }

  /** What of the text is between two points of the page, without white space at its ends; null when there are no words. */
  spanOf(range: StaticRange | Range): Span | null {
    const { raw } = this.composed;
    let start = this.rawBefore(range.startContainer, range.startOffset);
    let end = this.rawBefore(range.endContainer, range.endOffset);
    while (start < end && isWhite(raw[start])) start += 1;
    while (end > start && isWhite(raw[end - 1])) end -= 1;
    return end > start ? { start: this.composed.toText(start), end: this.composed.toText(end, true) } : null;
  }

  /** How much of the text stands before a point of the page. */
  private rawBefore(container: Node, offset: number): number {
    const point = document.createRange();
    point.setStart(container, offset);
    const before = countBefore(this.runs, (run) =>
      run.node === container ? (this.offsetsOf(run)[0] ?? 0) < offset : point.comparePoint(run.node, 0) < 0,
    );
    const run = this.runs[before - 1];
    if (!run) return 0;
    if (run.node !== container) return run.at + run.words.length;
    return run.at + countBefore(this.offsetsOf(run), (one) => one < offset);
  }

  private offsetsOf(run: TextRun): number[] {
    let offsets = this.offsets.get(run);
    if (!offsets) {
      offsets = nodeOffsets(run);
      this.offsets.set(run, offsets);
    }
    return offsets;
  }

  /** `after`: how many units behind it. Between two runs: the end of the first. */
  private pointAt(raw: number, after: 0 | 1): { node: Text; offset: number } | null {
    const run = this.runs[countBefore(this.runs, ({ at }) => at <= raw) - 1] ?? this.runs[0];
    if (!run) return null;
    const offsets = this.offsetsOf(run);
    const offset = offsets[Math.max(0, raw - run.at)];
    return { node: run.node, offset: offset === undefined ? (offsets.at(-1) ?? 0) + 1 : offset + after };
  }

  /** The index of the first character below a line of the window; null when all is above. */
  firstBelow(line: number): number | null {
    const isAbove = (start: number, end: number) =>
      isRangeAbove(this.range(this.composed.toText(start), this.composed.toText(end, true)), line);
    const run = this.runs[countBefore(this.runs, ({ at, words }) => isAbove(at, at + words.length))];
    if (!run) return null;
    const units = Array.from({ length: run.words.length }, (_, index) => run.at + index);
    return this.composed.toText(run.at + countBefore(units, (index) => isAbove(index, index + 1)));
  }

  topOf(index: number): number | null {
    return this.range(index, index + 1)?.getClientRects()[0]?.top ?? null;
  }
}

/** What is not shown (a title that stands above the text already) counts as above. */
function isRangeAbove(range: Range | null, line: number): boolean {
  const boxes = range ? [...range.getClientRects()] : [];
  return boxes.every((box) => box.bottom <= line);
}
