import { ApiError } from "@/api/errors";
import {
  changeHighlight,
  createHighlight,
  deleteHighlight,
  type Highlight,
  type HighlightColor,
  restoreHighlight,
} from "@/api/highlights";
import { serverTime } from "@/api/server-clock";
import { learnServerTime } from "@/api/session";
import { canRetry, sender } from "@/device/sender";
import { StoredQueue } from "@/device/stored-queue";
import type { Passage } from "./shown-text";

export type Located = Passage & { version: number };

/** What the user does with a highlight. Each part is a change by itself, and is decided by its own time. */
export type Change =
  | { part: "made"; place: Located; color: HighlightColor; note: string | null; tags: string[] }
  | { part: "color"; color: HighlightColor }
  | { part: "note"; note: string | null }
  | { part: "tags"; tags: string[] }
  | { part: "place"; place: Located }
  | { part: "deleted"; isDeleted: true }
  /** `was`: what is restored. */
  | { part: "deleted"; isDeleted: false; was: Highlight };

export type Step = Change & { id: string; mediaId: string; at: string };

const steps = new StoredQueue<Step>("nexus.highlights");
let onRefused: (step: Step, error: unknown) => void = () => {};
let onChanged: (mediaId: string) => void = () => {};
let onSent: (mediaId: string) => void = () => {};

const keyOf = ({ id, part }: { id: string; part: Change["part"] }) => `${id}.${part}`;

function add(mediaId: string, id: string, change: Change): void {
  steps.put(keyOf({ id, part: change.part }), { ...change, id, mediaId, at: steps.now() });
  onChanged(mediaId);
  queue.send();
}

async function sendStep(step: Step, user: string): Promise<void> {
  const client_time = new Date(serverTime(Date.parse(step.at))).toISOString();
  switch (step.part) {
    case "made": {
      const { place, color, note, tags } = step;
      await createHighlight(step.mediaId, { ...place, id: step.id, color, note, tags, client_time }, user);
      break;
    }
    case "deleted":
      if (step.isDeleted) await deleteHighlight(step.id, { client_time }, user);
      else await restoreHighlight(step.id, user);
      break;
    case "place":
      await changeHighlight(step.id, { ...step.place, client_time }, user);
      break;
    default:
      await changeHighlight(step.id, { ...partOf(step), client_time }, user);
  }
}

function partOf(step: Extract<Step, { part: "color" | "note" | "tags" }>) {
  if (step.part === "color") return { color: step.color };
  return step.part === "note" ? { note: step.note } : { tags: step.tags };
}

/** Deleted here or elsewhere before. */
const isGone = (step: Step, error: unknown) =>
  step.part === "deleted" && step.isDeleted && error instanceof ApiError && error.status === 404;

async function sendAll(): Promise<void> {
  for (let next = steps.inOrder()[0]; next && steps.owner; next = steps.inOrder()[0]) {
    const [key, step] = next;
    const user = steps.owner; // another one may sign in while this waits
    try {
      await learnServerTime();
      await sendStep(step, user);
      onSent(step.mediaId);
    } catch (error) {
      if (canRetry(error)) return;
      if (!isGone(step, error)) onRefused(step, error);
      if (step.part === "made") dropAll(step.id); // what was done with it since has no meaning
    }
    steps.drop(key, step);
    onChanged(step.mediaId);
  }
}

function dropAll(id: string): void {
  for (const [key, step] of steps.inOrder()) if (step.id === id) steps.drop(key, step);
}

/** Of this user, without sending it. */
function discard(): void {
  for (const [key, step] of steps.inOrder()) {
    steps.drop(key, step);
    onChanged(step.mediaId);
  }
}

const queue = sender({
  lock: () => (steps.owner && steps.inOrder().length ? `nexus-highlights-${steps.owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (!steps.isAbout(event.key)) return;
    const media = new Set([...steps.waiting.values()].map(({ mediaId }) => mediaId));
    steps.load();
    for (const { mediaId } of steps.waiting.values()) media.add(mediaId);
    for (const mediaId of media) onChanged(mediaId);
  },
});

/** The highlights of the server with what it does not know yet. */
function over(mediaId: string, highlights: Highlight[]): Highlight[] {
  const found = new Map(highlights.map((one) => [one.id, one]));
  for (const [, step] of steps.inOrder()) {
    if (step.mediaId !== mediaId) continue;
    const known = found.get(step.id);
    if (step.part === "made" && !known) found.set(step.id, madeBy(step));
    else if (step.part === "deleted" && step.isDeleted) found.delete(step.id);
    else if (step.part === "deleted" && !step.isDeleted) found.set(step.id, known ?? step.was);
    else if (known) found.set(step.id, changed(known, step));
  }
  return [...found.values()].sort(byPlace);
}

/** Highlights of any texts with what the server does not know yet; those that are deleted are left out. */
function overEach<One extends Highlight>(highlights: One[]): One[] {
  if (!steps.waiting.size) return highlights;
  const waiting = steps.inOrder().map(([, step]) => step);
  const ids = new Set(waiting.map(({ id }) => id));
  return highlights.flatMap((one) => {
    if (!ids.has(one.id)) return [one];
    const own = waiting.filter((step) => step.id === one.id);
    const isDeleted = own.some((step) => step.part === "deleted" && step.isDeleted);
    return isDeleted ? [] : [own.reduce((known, step) => changed(known, step), one)];
  });
}

function madeBy(step: Extract<Step, { part: "made" }>): Highlight {
  const { place, color, note, tags, id, mediaId, at } = step;
  const times = { created_at: at, updated_at: at, seen_at: null, start_ms: null };
  return { ...place, ...times, id, media_id: mediaId, color, note, tags, state: "attached" };
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

const byPlace = (a: Highlight, b: Highlight) =>
  a.start.fragment_idx - b.start.fragment_idx || a.start.offset - b.start.offset || a.end.offset - b.end.offset;

export const highlightQueue = {
  setUser: (user: string) => {
    steps.setUser(user);
  },
  add,
  over,
  overEach,
  discard,
  send: queue.send,
  start: queue.start,
  /** How many changes the server does not have yet. */
  count: () => steps.waiting.size,
  whenRefused: (listener: typeof onRefused) => {
    onRefused = listener;
  },
  /** The server has a change of a text's highlights now, and it is still part of `over`. */
  whenSent: (listener: typeof onSent) => {
    onSent = listener;
  },
  /** What `over` says of a text has changed. */
  whenChanged: (listener: typeof onChanged) => {
    onChanged = listener;
  },
};
