interface Drawn {
  id: string;
  ranges: Range[];
}

/** The highlight at a point of the window: of several, the shortest. Where the words around it are on the screen. */
export function highlightAt(marks: Drawn[], x: number, y: number): { id: string; box: DOMRect } | null {
  const point = pointAt(x, y);
  if (!point) return null;
  const found = marks
    .filter(({ ranges }) => ranges.some((range) => range.comparePoint(point.node, point.offset) === 0))
    .sort((a, b) => lengthOf(a) - lengthOf(b));
  for (const { id, ranges } of found) {
    const box = ranges.flatMap((range) => [...range.getClientRects()]).find((one) => isInside(one, x, y));
    if (box) return { id, box }; // else the point is beside the line
  }
  return null;
}

const lengthOf = ({ ranges }: Drawn) => ranges.reduce((sum, range) => sum + range.toString().length, 0);
const isInside = (box: DOMRect, x: number, y: number) =>
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

/** Browsers have one of the two. */
function pointAt(x: number, y: number): { node: Node; offset: number } | null {
  if ("caretPositionFromPoint" in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  const range = (document as Document).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}
