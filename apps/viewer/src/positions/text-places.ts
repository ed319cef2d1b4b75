import { type Piece, piecesOf } from "@/canonical-text";

/** A piece, and how many characters that are no white space stand before it in its node. */
interface Located extends Piece {
  before: number;
}

export const codePoints = (text: string) => [...text].length;

/** From code points, which offsets of the API count, to the units of a JavaScript string. */
export function unitsAt(text: string, offset: number): number {
  let units = 0;
  for (let seen = 0; seen < offset && units < text.length; seen += 1)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}

/** Not white space, and none of the control characters that canonical text leaves out. */
function isWritten(code: number): boolean {
  if (code <= 0x20 || (code >= 0x7f && code <= 0xa0)) return false;
  if (code >= 0x2000 && code <= 0x200a) return false;
  return ![0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code);
}

function countWritten(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if (isWritten(text.charCodeAt(index))) count += 1;
  return count;
}

/** Where the written character with this number stands. */
function indexOfWritten(text: string, number: number): number {
  let seen = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (!isWritten(text.charCodeAt(index))) continue;
    if (seen === number) return index;
    seen += 1;
  }
  return text.length;
}

/** The last of an ordered list that `isBefore` says yes to. */
function lastBefore<Item>(items: Item[], isBefore: (item: Item) => boolean): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** The canonical text of an element that is shown, and where each character of it stands on the page. */
export class TextPlaces {
  readonly text: string;
  private readonly pieces: Located[] = [];

  constructor(root: Node) {
    const { text, pieces } = piecesOf(root);
    this.text = text;
    let before = 0;
    for (const [index, piece] of pieces.entries()) {
      if (pieces[index - 1]?.node !== piece.node) before = 0;
      this.pieces.push({ ...piece, before });
      before += countWritten(piece.words);
    }
  }

  /** From one index of the text to another; null when there is nothing. */
  range(start: number, end: number): Range | null {
    const [from, to] = [this.pointAt(start), this.pointAt(Math.max(start, end - 1))];
    if (!from || !to) return null;
    const range = document.createRange();
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, Math.min(to.node.data.length, to.offset + (end > start ? 1 : 0)));
    return range;
  }

  private pointAt(index: number): { node: Text; offset: number } | null {
    const piece = lastBefore(this.pieces, ({ at }) => at <= index) ?? this.pieces[0];
    if (!piece) return null;
    const written = countWritten(piece.words.slice(0, Math.max(0, index - piece.at)));
    return { node: piece.node, offset: indexOfWritten(piece.node.data, piece.before + written) };
  }

  /** The index of the first character below a line of the window; null when all is above. */
  firstBelow(line: number): number | null {
    const isAbove = (piece: Piece) => isRangeAbove(this.range(piece.at, piece.at + piece.words.length), line);
    const last = lastBefore(this.pieces, isAbove);
    const piece = last ? this.pieces[this.pieces.indexOf(last as Located) + 1] : this.pieces[0];
    if (!piece) return null;
    const indexes = Array.from({ length: piece.words.length }, (_, index) => piece.at + index);
    const before = lastBefore(indexes, (index) => isRangeAbove(this.range(index, index + 1), line));
    return before === undefined ? piece.at : before + 1;
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
