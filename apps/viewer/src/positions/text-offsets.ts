import { countBefore } from "@/binary-search";
import { type Piece, piecesOf, unitPlaces } from "@/canonical-text";
import { ComposedText } from "./composed-text";
import type { Span } from "./span";

const isWhite = (unit: string | undefined) => unit === " " || unit === "\n" || unit === "\t";

/** The canonical text of an element that is shown, and where each character of it stands on the page. */
export class TextOffsets {
  readonly text: string;
  private readonly composed: ComposedText;
  private readonly pieces: Piece[];
  private readonly places = new Map<Piece, number[]>();

  constructor(root: Node) {
    const { raw, pieces } = piecesOf(root);
    this.composed = new ComposedText(raw);
    this.text = this.composed.text;
    this.pieces = pieces;
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
    const before = countBefore(this.pieces, (piece) =>
      piece.node === container ? (this.placesOf(piece)[0] ?? 0) < offset : point.comparePoint(piece.node, 0) < 0,
    );
    const piece = this.pieces[before - 1];
    if (!piece) return 0;
    if (piece.node !== container) return piece.at + piece.words.length;
    return piece.at + countBefore(this.placesOf(piece), (place) => place < offset);
  }

  private placesOf(piece: Piece): number[] {
    let places = this.places.get(piece);
    if (!places) {
      places = unitPlaces(piece);
      this.places.set(piece, places);
    }
    return places;
  }

  /** `after`: how many units behind it. Between two pieces: the end of the first. */
  private pointAt(raw: number, after: 0 | 1): { node: Text; offset: number } | null {
    const piece = this.pieces[countBefore(this.pieces, ({ at }) => at <= raw) - 1] ?? this.pieces[0];
    if (!piece) return null;
    const places = this.placesOf(piece);
    const place = places[Math.max(0, raw - piece.at)];
    return { node: piece.node, offset: place === undefined ? (places.at(-1) ?? 0) + 1 : place + after };
  }

  /** The index of the first character below a line of the window; null when all is above. */
  firstBelow(line: number): number | null {
    const isAbove = (start: number, end: number) =>
      isRangeAbove(this.range(this.composed.toText(start), this.composed.toText(end, true)), line);
    const piece = this.pieces[countBefore(this.pieces, ({ at, words }) => isAbove(at, at + words.length))];
    if (!piece) return null;
    const units = Array.from({ length: piece.words.length }, (_, index) => piece.at + index);
    return this.composed.toText(piece.at + countBefore(units, (index) => isAbove(index, index + 1)));
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
