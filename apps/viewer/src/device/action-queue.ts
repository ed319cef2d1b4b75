import { readonly, ref } from "vue";
import { sendDecision, sendTogether, timeOf } from "@/api/actions";
import { ApiError } from "@/api/errors";
import { fetchReadAt } from "@/api/library";
import { clientTime, latestServerTime, serverTime } from "@/api/server-clock";
import { learnServerTime } from "@/api/session";
import type { Entry } from "@/api/types";
import { changed, type Decision, type EntryChange, isTogether, slotOf } from "@/device/decisions";
import { canRetry, createQueueSender } from "@/device/sender";
import { takeReadMarks } from "./read-marks";
import { StoredQueue } from "./stored-queue";

export interface Refusal {
  decision: Decision;
  error: unknown;
}

/** One go through all that waits. */
interface Round {
  failed: number;
  /** Nothing more about these media in this round: their decisions stay in order. */
  stuck: Set<string>;
}

/** What became of decisions made together: told once, however many requests that took. */
interface Outcome {
  sent: Decision[];
  refused: Refusal[];
  round: Round;
}

/** As many as one request may name. */
const MAX_TOGETHER = 10_000;

/** Decided here and not on the server yet, by slot. */
const stored = new StoredQueue<Decision>("nexus.actions");
const pending = stored.waiting;
/**
 * When those were decided that can be sent as of now. The others are late, and the server must know when they were
 * decided: they could not be sent then, or are another window's, and who knows how long they wait.
 */
const fresh = new Map<string, string>();
/** How often something was decided, or came to the server. */
let changes = 0;
/** How often the server failed at them. */
const faults = new Map<string, number>();
/** After this many failures of one decision the others are sent without it. */
const MAX_FAULTS = 3;
/** After this many failed requests of a round, decisions that fail together are not sent in halves any more. */
const MAX_FAILED = 30;
/** How many could not be sent when that was tried last. */
const waiting = ref(0);
let onRefused: (refused: Refusal[]) => void = () => {};
/** Since the last time somebody waited for them. */
let refusals: unknown[] = [];
let onSent: (decisions: Decision[]) => void = () => {};

const slotOfDecision = (decision: Decision) => slotOf(decision.mediaId, decision);

function setUser(user: string): void {
  if (!stored.setUser(user)) return;
  for (const known of [fresh, faults]) known.clear();
  takeReadMarks(user, (mark) => stored.put(slotOfDecision(mark), mark));
}

/** Other windows send and decide, too. */
function load(): void {
  stored.load();
  if (waiting.value) waiting.value = pending.size;
}

const markLate = () => fresh.clear();

function put(decision: Decision): void {
  const slot = slotOfDecision(decision);
  changes += 1;
  faults.delete(slot);
  fresh.set(slot, decision.at);
  stored.put(slot, decision);
}

type Target = Pick<Entry, "media_id" | "title">;

/** One moment for all of them: they are sent together. */
function add(entries: Target[], changesOf: (entry: Target) => EntryChange[]): string {
  const at = stored.now();
  const after = latestServerTime();
  for (const entry of entries)
    for (const change of changesOf(entry)) put({ ...change, mediaId: entry.media_id, title: entry.title, at, after });
  queue.send();
  return at;
}

function drop(decisions: Decision[]): void {
  changes += 1;
  for (const decision of decisions) {
    const slot = slotOfDecision(decision);
    if (isPending(decision)) for (const known of [fresh, faults]) known.delete(slot);
    stored.drop(slot, decision);
  }
}

/**
 * The server has these, or may have them, as decided at `time` by its clock: what the user decided about the same media
 * since, also while they were under way, must be later for it, too.
 */
function dateLaterOnes(sent: Decision[], time: number): void {
  const decidedAt = new Map(sent.map((one) => [one.mediaId, one.at]));
  const own = new Map(sent.map((one) => [slotOfDecision(one), one.at]));
  const find = () =>
    [...pending].filter(([slot, one]) => one.at >= (decidedAt.get(one.mediaId) ?? "~") && own.get(slot) !== one.at);
  if (!find().length) return;
  load(); // another window may have decided otherwise
  for (const [slot, one] of find()) stored.put(slot, { ...one, after: Math.max(time, one.after ?? 0) });
}

/** In the order they were decided in. */
async function sendAll(): Promise<void> {
  const round: Round = { failed: 0, stuck: new Set() };
  try {
    for (let next = oldest(round.stuck); next.length && stored.owner; next = oldest(round.stuck)) {
      if (!(await deliverAndNotify(next, stored.owner, round))) return;
    }
  } finally {
    waiting.value = pending.size;
  }
}

async function deliverAndNotify(decisions: Decision[], user: string, round: Round): Promise<boolean> {
  const outcome: Outcome = { sent: [], refused: [], round };
  const isReachable = await deliver(decisions, user, outcome);
  refusals.push(...outcome.refused.map(({ error }) => error));
  if (outcome.sent.length) onSent(outcome.sent);
  if (outcome.refused.length) onRefused(outcome.refused);
  return isReachable;
}

/**
 * A request has one time. Where an earlier decision about one of the media came to the server only now, or may have, that
 * one must be dated later than the others, which would win over what another device decided meanwhile.
 */
const isSameTime = (a: Decision, b: Decision) => !isLate(a) || clientTime(a) === clientTime(b);

/** What was decided first, with all that was decided in the same moment. */
function oldest(stuck = new Set<string>()): Decision[] {
  load(); // another window may have sent some meanwhile, or taken them back
  const all = [...pending.values()].filter((one) => !stuck.has(one.mediaId));
  const first = all.reduce<Decision | null>((found, one) => (found && found.at <= one.at ? found : one), null);
  return first ? all.filter((one) => isTogether(first, one) && isSameTime(first, one)).slice(0, MAX_TOGETHER) : [];
}

/** Whether to go on: not when the server cannot be reached. */
async function deliver(taken: Decision[], user: string, outcome: Outcome): Promise<boolean> {
  const decisions = taken.filter(isPending); // the user, or another window, may have changed some since
  const [only] = decisions;
  if (!only) return true;
  const isDated = isLate(only);
  try {
    const time = await sendNow(decisions, user, isDated);
    drop(decisions);
    dateLaterOnes(decisions, time);
  } catch (error) {
    if (canRetry(error)) {
      if (!isDated) dateLaterOnes(decisions, serverTime(Date.now())); // who knows whether it came to the server
      markLate();
      return countFault(decisions, error) && passOver(decisions, user, outcome);
    }
    if (decisions.length > 1) return deliverHalves(decisions, user, outcome); // all or nothing: one may be gone
    drop(decisions);
    if (!isGone(only, error)) outcome.refused.push({ decision: only, error });
    return true;
  }
  outcome.sent.push(...decisions);
  return true;
}

/** Since when they are decided for the server, at the latest. */
async function sendNow(decisions: Decision[], user: string, isDated: boolean): Promise<number> {
  if (isDated) await learnServerTime();
  const [only] = decisions;
  const time = isDated ? timeOf(decisions) : null;
  if (decisions.length > 1) await sendTogether(decisions, user, time);
  else if (only) await sendDecision(only, user, time);
  return time ?? Math.max(latestServerTime(), serverTime(Date.now()));
}

const isPending = (decision: Decision) => pending.get(slotOfDecision(decision))?.at === decision.at;
const isLate = (decision: Decision) => fresh.get(slotOfDecision(decision)) !== decision.at;

/** Whether the server fails at these again and again. */
function countFault(decisions: Decision[], error: unknown): boolean {
  if (!(error instanceof ApiError) || !error.isFault) return false;
  const counts = decisions.map((one) => {
    const slot = slotOfDecision(one);
    faults.set(slot, (faults.get(slot) ?? 0) + 1);
    return faults.get(slot) ?? 0;
  });
  return counts.some((count) => count >= MAX_FAULTS);
}

/** They wait for the next retry; the others among them, and all about other media, do not. */
async function passOver(decisions: Decision[], user: string, outcome: Outcome): Promise<boolean> {
  outcome.round.failed += 1;
  if (decisions.length > 1 && outcome.round.failed < MAX_FAILED) return deliverHalves(decisions, user, outcome);
  for (const { mediaId } of decisions) outcome.round.stuck.add(mediaId);
  return true;
}

/** Finds the few that are refused in few requests. */
async function deliverHalves(decisions: Decision[], user: string, outcome: Outcome): Promise<boolean> {
  const middle = Math.ceil(decisions.length / 2);
  const isReachable = await deliver(decisions.slice(0, middle), user, outcome);
  return isReachable && deliver(decisions.slice(middle), user, outcome);
}

/** Deleted before, on this device or another. */
const isGone = (decision: Decision, error: unknown) =>
  decision.field === "deleted" && error instanceof ApiError && error.status === 404;

const queue = createQueueSender({
  lock: () => (stored.owner && oldest().length ? `nexus-actions-${stored.owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (stored.isAbout(event.key)) load();
  },
});

/** Entries of the server with what is not sent yet. */
function withPending(entries: Entry[]): Entry[] {
  if (!pending.size) return entries;
  const byMedia = new Map<string, Decision[]>();
  for (const one of pending.values()) byMedia.set(one.mediaId, [...(byMedia.get(one.mediaId) ?? []), one]);
  return entries.flatMap((entry) => {
    const decisions = byMedia.get(entry.media_id);
    if (!decisions) return [entry];
    if (decisions.some((one) => one.field === "deleted")) return [];
    return [decisions.reduce((now, one) => changed(now, one, one.at), entry)];
  });
}

function readMark(mediaId: string): { at: string | null } | null {
  const mark = pending.get(slotOf(mediaId, { field: "read", value: true }));
  return mark?.field === "read" ? { at: mark.value ? mark.at : null } : null;
}

/** Sends all that can be sent now; throws the first refusal. */
async function finish(): Promise<void> {
  refusals = [];
  await queue.sent();
  if (refusals.length) throw refusals[0];
}

/** Forgets what waits. */
function discard(): void {
  load();
  drop([...pending.values()]);
  waiting.value = 0;
}

export const actionQueue = {
  setUser,
  send: queue.send,
  start: queue.start,
  finish,
  discard,
  /** When it was decided. */
  add: (entry: Target, ...changes: EntryChange[]) => add([entry], () => changes),
  addMany: add,
  /** What is not sent yet is sent with its time. */
  markLate,
  withPending,
  /** Another number than before a request: its response may be older than what was decided or sent since. */
  changes: () => changes,
  waiting: readonly(waiting),
  /** Whether something about this media, or that change of it, is not sent yet. */
  has: (mediaId: string, change?: EntryChange) =>
    change ? pending.has(slotOf(mediaId, change)) : [...pending.values()].some((one) => one.mediaId === mediaId),
  readAt: async (mediaId: string): Promise<string | null> => {
    const mark = readMark(mediaId);
    return mark ? mark.at : fetchReadAt(mediaId);
  },
  whenRefused: (listener: typeof onRefused) => {
    onRefused = listener;
  },
  whenSent: (listener: typeof onSent) => {
    onSent = listener;
  },
};
