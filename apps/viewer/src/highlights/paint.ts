import type { HighlightColor } from "@/api/highlights";

export const COLORS: readonly HighlightColor[] = ["yellow", "green", "blue", "pink"];

export interface Mark {
  color: HighlightColor;
  /** The one that is open: it stands out. */
  isCurrent: boolean;
  ranges: Range[];
}

const CURRENT = "mark-current";
const nameOf = (color: HighlightColor) => `mark-${color}`;

/** Browsers of before 2025 may lack it: for them a layer of boxes is drawn, see MarkLayer. */
export const canPaint = () => "highlights" in CSS;

/** Draws the marks; the elements of the text stay as they are. */
export function paint(marks: Mark[]): void {
  for (const color of COLORS)
    set(
      nameOf(color),
      marks.filter((mark) => mark.color === color),
    );
  set(
    CURRENT,
    marks.filter(({ isCurrent }) => isCurrent),
  );
}

function set(name: string, marks: Mark[]): void {
  const ranges = marks.flatMap((mark) => mark.ranges);
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
