import { ApiError } from "@/api/errors";
import type { Highlight } from "@/api/highlights";
import { clientTime, latestServerTime, serverTime } from "@/api/server-clock";
import { learnServerTime } from "@/api/session";
import { newUuid } from "@/device/new-key";
import { canRetry, createQueueSender } from "@/device/sender";
import { StoredQueue } from "@/device/stored-queue";
import { type HighlightChange, type Step, withPending, withPendingInEach } from "./highlight-steps";
import { isRestore, sendStep } from "./send-step";
import { unsentHighlights } from "./unsent";

/** `lost`: a highlight that is nowhere now, with its note. */
export interface Refusal {
  step: Step;
  error: unknown;
  lost: Highlight | null;
}

/** A round ends once the server has failed at this many highlights. */
const MAX_FAILED = 30;

const steps = new StoredQueue<Step>("nexus.highlights");
let onRefused: (refusal: Refusal) => void = () => {};
let onChanged: (mediaId: string) => void = () => {};
let onSent: (mediaId: string) => void = () => {};
let onNotStored: () => void = () => {};

const keyOf = ({ id, part }: { id: string; part: HighlightChange["part"] }) => `${id}.${part}`;
const idsOf = ({ id, again }: Step) => (again ? [id, again] : [id]);
function notifyChanged(mediaId: string): void {
  unsentHighlights.value = steps.waiting.size;
  onChanged(mediaId);
}
const inOrder = () => steps.inOrder().map(([, step]) => step);

function add(mediaId: string, id: string, change: HighlightChange): void {
  const step = { ...change, id, mediaId, at: steps.now(), after: latestServerTime() };
  steps.put(keyOf(step), step);
  notifyChanged(mediaId);
  queue.send();
}

/**
 * The server has this, or may have it, as decided at `time` by its clock: what the user did with the same highlight
 * since must be later for it, too.
 */
function dateLaterOnes(step: Step, time: number): void {
  for (const [key, one] of steps.inOrder())
    if (idsOf(step).includes(one.id) && one.at > step.at)
      steps.put(key, { ...one, after: Math.max(time, one.after ?? 0) });
}

/** Under another id, which the later steps about the highlight get, too. Null: it was changed since. */
function recreate(step: Step): Step | null {
  const again = newUuid();
  if (steps.waiting.get(keyOf(step))?.at !== step.at) return null;
  for (const [key, one] of steps.inOrder()) {
    if (one.id !== step.id || one.at <= step.at) continue;
    steps.drop(key, one);
    steps.put(keyOf({ ...one, id: again }), { ...one, id: again });
  }
  const made = { ...step, again };
  steps.put(keyOf(made), made);
  notifyChanged(step.mediaId);
  return made;
}

/** As it waits now: it may have got another id while it was being sent. */
function asWaiting(step: Step): Step {
  const waiting = steps.waiting.get(keyOf(step));
  return waiting?.at === step.at ? waiting : step;
}

const isExpired = (step: Step, error: unknown) =>
  isRestore(step) && !step.again && error instanceof ApiError && error.status === 410;

/** Deleted here or elsewhere before. */
const isGone = (step: Step, error: unknown) =>
  step.part === "deleted" && step.isDeleted && error instanceof ApiError && error.status === 404;

/** Those that the server failed at just now wait for the next retry, and keep no others waiting. */
const oldest = (failed = new Set<string>()) => inOrder().find(({ id }) => !failed.has(id));

async function sendAll(): Promise<void> {
  const failed = new Set<string>();
  for (let step = oldest(); step && steps.owner && failed.size < MAX_FAILED; step = oldest(failed)) {
    try {
      await deliver(step, steps.owner); // another one may sign in while this waits
    } catch (error) {
      const failing = asWaiting(step);
      if (!canRetry(error)) refuse(failing, error);
      else if (error instanceof ApiError && error.isFault) for (const id of idsOf(failing)) failed.add(id);
      else break;
    }
  }
  if (!steps.areStored) onNotStored();
}

async function deliver(step: Step, user: string): Promise<void> {
  await learnServerTime();
  const time = clientTime(step);
  try {
    await sendStep(step, user, time);
  } catch (error) {
    if (isExpired(step, error)) {
      const recreated = recreate(step);
      if (recreated) await deliver(recreated, user);
      return;
    }
    if (canRetry(error)) dateLaterOnes(step, isRestore(step) ? serverTime(Date.now()) : time); // it may have come there
    throw error;
  }
  // The server restores as of now.
  dateLaterOnes(step, isRestore(step) ? Math.max(latestServerTime(), serverTime(Date.now())) : time);
  onSent(step.mediaId);
  drop(step);
}

function drop(step: Step): void {
  steps.drop(keyOf(step), step);
  notifyChanged(step.mediaId);
}

function refuse(step: Step, error: unknown): void {
  const lost = lostWith(step);
  // What was done since with one that was not made has no meaning.
  const notMade = step.part === "made" ? step.id : step.again;
  if (notMade) for (const one of inOrder()) if (one.id === notMade) steps.drop(keyOf(one), one);
  drop(step);
  if (!isGone(step, error)) onRefused({ step, error, lost });
}

/** A highlight that is only here, as its user sees it. */
function lostWith(step: Step): Highlight | null {
  const isOnlyHere = step.part === "made" || isRestore(step);
  return isOnlyHere
    ? (withPending(inOrder(), step.mediaId, []).find(({ id }) => idsOf(step).includes(id)) ?? null)
    : null;
}

/** Drops all steps of this user that were not sent. */
function discard(): void {
  for (const step of inOrder()) drop(step);
}

const queue = createQueueSender({
  lock: () => (steps.owner && oldest() ? `nexus-highlights-${steps.owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (!steps.isAbout(event.key)) return;
    const media = new Set([...steps.waiting.values()].map(({ mediaId }) => mediaId));
    steps.load();
    for (const { mediaId } of steps.waiting.values()) media.add(mediaId);
    for (const mediaId of media) notifyChanged(mediaId);
  },
});

export const highlightQueue = {
  setUser: (user: string) => {
    steps.setUser(user);
    unsentHighlights.value = steps.waiting.size;
  },
  add,
  withPending: (mediaId: string, highlights: Highlight[]) => withPending(inOrder(), mediaId, highlights),
  withPendingInEach: <One extends Highlight>(highlights: One[]) => withPendingInEach(inOrder(), highlights),
  discard,
  send: queue.send,
  /** Until all is sent, or the server cannot be reached. */
  finish: queue.sent,
  start: queue.start,
  /** How many changes the server does not have yet. */
  count: () => steps.waiting.size,
  whenRefused: (listener: typeof onRefused) => {
    onRefused = listener;
  },
  /** Some can neither be sent now nor be stored: they go with the page. */
  whenNotStored: (listener: typeof onNotStored) => {
    onNotStored = listener;
  },
  /** The server has a change of a text's highlights now, and it is still part of `withPending`. */
  whenSent: (listener: typeof onSent) => {
    onSent = listener;
  },
  /** What `withPending` says of a text has changed. */
  whenChanged: (listener: typeof onChanged) => {
    onChanged = listener;
  },
};
