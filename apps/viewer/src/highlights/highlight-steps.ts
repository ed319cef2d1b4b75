import type { Highlight, HighlightColor } from "@/api/highlights";
import type { Passage } from "./shown-text";

export type VersionedPassage = Passage & { version: number };

/**
 * What the user does with a highlight. Each part is a change by itself, and is decided by its own time. `place` is the
 * passage that it marks: named so by earlier versions, which have stored it.
 */
export type HighlightChange =
  | { part: "made"; place: VersionedPassage; color: HighlightColor; note: string | null; tags: string[] }
  | { part: "color"; color: HighlightColor }
  | { part: "note"; note: string | null }
  | { part: "tags"; tags: string[] }
  | { part: "place"; place: VersionedPassage }
  | { part: "deleted"; isDeleted: true }
  /** `was`: what is restored. */
  | { part: "deleted"; isDeleted: false; was: Highlight };

export type Step = HighlightChange & {
  id: string;
  mediaId: string;
  /** When it was done, by the clock of this device; by the server's it was later than `after`. */
  at: string;
  after?: number;
  /** The id under which it is created again, since it can no longer be restored. */
  again?: string;
};
type CreateStep = Extract<Step, { part: "made" }>;
export type Restored = Extract<Step, { isDeleted: false }>;

export function partOf(step: Extract<Step, { part: "color" | "note" | "tags" }>) {
  if (step.part === "color") return { color: step.color };
  return step.part === "note" ? { note: step.note } : { tags: step.tags };
}

/** The highlights of the server with what it does not know yet. */
export function withPending(steps: Step[], mediaId: string, highlights: Highlight[]): Highlight[] {
  const found = new Map(highlights.map((one) => [one.id, one]));
  for (const step of steps) {
    if (step.mediaId !== mediaId) continue;
    const known = found.get(step.id);
    if (step.part === "made" && !known) found.set(step.id, madeBy(step));
    else if (step.part === "deleted" && step.isDeleted) found.delete(step.id);
    else if (step.part === "deleted" && !step.isDeleted) restoreIn(found, step);
    else if (known) found.set(step.id, changed(known, step));
  }
  return [...found.values()].sort(inTextOrder);
}

/** Highlights of any texts with what the server does not know yet; those that are deleted are left out. */
export function withPendingInEach<One extends Highlight>(waiting: Step[], highlights: One[]): One[] {
  if (!waiting.length) return highlights;
  const ids = new Set(waiting.map(({ id }) => id));
  return highlights.flatMap((one) => {
    if (!ids.has(one.id)) return [one];
    const own = waiting.filter((step) => step.id === one.id);
    const isDeleted = own.some((step) => step.part === "deleted" && step.isDeleted);
    return isDeleted ? [] : [own.reduce((known, step) => changed(known, step), one)];
  });
}

function restoreIn(found: Map<string, Highlight>, { id, again = id, was }: Restored): void {
  if (!found.has(again)) found.set(again, { ...was, id: again });
}

function madeBy(step: CreateStep): Highlight {
  const { place: passage, color, note, tags, id, mediaId, at } = step;
  const times = { created_at: at, updated_at: at, seen_at: null, start_ms: null };
  return { ...passage, ...times, id, media_id: mediaId, color, note, tags, state: "attached" };
}

function changed<One extends Highlight>(highlight: One, step: Step): One {
  switch (step.part) {
    case "color":
    case "note":
    case "tags":
      return { ...highlight, ...partOf(step) };
    case "place":
      return { ...highlight, ...step.place, state: "attached" };
    default:
      return highlight;
  }
}

const inTextOrder = (a: Highlight, b: Highlight) =>
  a.start.fragment_idx - b.start.fragment_idx || a.start.offset - b.start.offset || a.end.offset - b.end.offset;
