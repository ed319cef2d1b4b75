import type { HighlightColor } from "@/api/highlights";

export const COLORS: readonly HighlightColor[] = ["yellow", "green", "blue", "pink"];

export interface Mark {
  id: string;
  color: HighlightColor;
  ranges: Range[];
}

/** Browsers of before 2025 may lack it: for them a layer of boxes is drawn, see MarkLayer. */
export const canPaint = () => "highlights" in CSS;

/** Draws the marks; the elements of the text stay as they are. */
export function paint(marks: Mark[]): void {
  for (const color of COLORS) {
    const ranges = marks.filter((mark) => mark.color === color).flatMap((mark) => mark.ranges);
    set(`mark-${color}`, ranges);
  }
}

/** The one that is open stands out. */
export const paintCurrent = (ranges: Range[]) => set("mark-current", ranges);

function set(name: string, ranges: Range[]): void {
  CSS.highlights.delete(name);
  if (!ranges.length) return;
  const made = new Highlight();
  for (const range of ranges) made.add(range); // there may be more than a call has room for
  CSS.highlights.set(name, made);
}
