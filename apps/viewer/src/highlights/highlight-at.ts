import type { Mark } from "./paint";

/** The highlight at a point of the window: of several, the shortest. */
export function highlightAt(marks: Mark[], x: number, y: number): string | null {
  const point = pointAt(x, y);
  if (!point) return null;
  const found = marks
    .filter(({ ranges }) => ranges.some((range) => range.comparePoint(point.node, point.offset) === 0))
    .sort((a, b) => lengthOf(a) - lengthOf(b));
  // The point may also be beside the line that it is nearest to.
  const isHit = ({ ranges }: Mark) =>
    ranges.some((range) => [...range.getClientRects()].some((box) => isIn(box, x, y)));
  return found.find(isHit)?.id ?? null;
}

const lengthOf = ({ ranges }: Mark) => ranges.reduce((sum, range) => sum + range.toString().length, 0);
const isIn = (box: DOMRect, x: number, y: number) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

/** Browsers have one of the two. */
function pointAt(x: number, y: number): { node: Node; offset: number } | null {
  if ("caretPositionFromPoint" in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  const range = (document as Document).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}
