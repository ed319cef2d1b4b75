/** Where in the window people read, as a share of its height: with what was before it above. */
export const READING_LINE = 0.25;
/** Where something stands that was looked for: with more of what was before it in sight. */
export const FOUND_LINE = 1 / 3;

interface Zone {
  top: number;
  bottom: number;
  /** Where it is moved to. */
  line: number;
}

/** The part of the window, by its height, that is comfortable to read: what is within it is not moved. */
const READING_ZONE: Zone = { top: 0.12, bottom: 0.7, line: READING_LINE };

export const heightOf = (share: number) => window.innerHeight * share;

/** Puts it at a line of the window. */
export function scrollToLine(range: Range, line: number, behavior: ScrollBehavior = "auto"): void {
  window.scrollBy({ top: range.getBoundingClientRect().top - heightOf(line), behavior });
}

export function scrollIntoReadingZone(range: Range, zone: Partial<Zone> = {}, behavior?: ScrollBehavior): void {
  const { top, bottom, line } = { ...READING_ZONE, ...zone };
  const box = range.getBoundingClientRect();
  if (box.top < heightOf(top) || box.bottom > heightOf(bottom)) scrollToLine(range, line, behavior);
}
