import { readonly, ref } from "vue";
import { sendDecision, sendTogether } from "@/api/actions";
import { ApiError } from "@/api/errors";
import { fetchReadAt } from "@/api/library";
import { learnServerTime } from "@/api/session";
import type { Entry } from "@/api/types";
import { type Change, changed, type Decision, isTogether, slotOf } from "@/device/decisions";
import { canRetry, sender } from "@/device/sender";
import { type UserStorage, userStorage } from "@/device/user-storage";
import { takeReadMarks } from "./read-marks";

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
const MOST_TOGETHER = 10_000;
/** The clocks of the server and of this device may differ so much without being known to. */
const CLOCKS_MS = 2000;

/** Decided here and not on the server yet, by slot. */
const pending = new Map<string, Decision>();
/** Those of them that are in storage: when they are gone from there, another window has sent them. */
const kept = new Set<string>();
/** Those that could not be sent when they were decided: the server must know when that was. */
const late = new Set<string>();
/** How often the server failed at them. */
const faults = new Map<string, number>();
/** So often all others wait for it: the server may be well again soon. */
const MOST_FAULTS = 3;
/** So many requests it may fail at until the next retry. */
const MOST_FAILED = 30;
/** How many could not be sent when that was tried last. */
const waiting = ref(0);
let owner: string | null = null;
let storage: UserStorage<Decision> | null = null;
let onRefused: (refused: Refusal[]) => void = () => {};
/** Since the last time somebody waited for them. */
let refusals: unknown[] = [];
let onSent: (decisions: Decision[]) => void = () => {};

function setUser(user: string): void {
  if (owner === user) return;
  owner = user;
  storage = userStorage<Decision>("nexus.actions", user);
  for (const known of [pending, kept, late, faults]) known.clear();
  load();
  takeReadMarks(user, put);
  markLate();
}

/** Merges storage, which other windows change, too, with what could not be stored. */
function load(): void {
  const stored = storage?.read() ?? new Map<string, Decision>();
  for (const slot of [...kept].filter((one) => !stored.has(one))) {
    pending.delete(slot);
    kept.delete(slot);
  }
  for (const [slot, decision] of stored) {
    const known = pending.get(slot);
    if (known && known.at > decision.at) continue; // decided here since, and not stored
    if (known?.at !== decision.at) late.add(slot); // another window's: who knows how long it waits
    pending.set(slot, decision);
    kept.add(slot);
  }
  if (waiting.value) waiting.value = pending.size;
}

function markLate(): void {
  for (const slot of pending.keys()) late.add(slot);
}

function put(decision: Decision): void {
  const slot = slotOf(decision.mediaId, decision);
  for (const known of [late, faults]) known.delete(slot);
  pending.set(slot, decision);
  if (storage?.put(slot, decision)) kept.add(slot);
  else kept.delete(slot);
}

type Target = Pick<Entry, "media_id" | "title">;

/** One moment for all of them: they are sent together. */
function add(entries: Target[], changesOf: (entry: Target) => Change[]): string {
  load();
  const at = laterThan([...pending.values()]);
  for (const entry of entries)
    for (const change of changesOf(entry)) put({ ...change, mediaId: entry.media_id, title: entry.title, at });
  queue.send();
  return at;
}

/** Now; decisions of one millisecond still have an order. */
function laterThan(decisions: Decision[]): string {
  const last = decisions.reduce((latest, one) => Math.max(latest, Date.parse(one.at)), 0);
  return new Date(Math.max(Date.now(), last + 1)).toISOString();
}

function drop(decisions: Decision[]): void {
  for (const decision of decisions) {
    const slot = slotOf(decision.mediaId, decision);
    if (pending.get(slot)?.at === decision.at) {
      for (const known of [pending, kept, late, faults]) known.delete(slot);
    }
    if (storage?.get(slot)?.at === decision.at) storage?.remove(slot);
  }
}

/**
 * The server took `sent` as decided just now: what the user decided about the same media while that was under way came
 * later, also when its own time has to be sent.
 */
function redate(sent: Decision[]): void {
  const media = new Set(sent.map((one) => one.mediaId));
  const newer = [...pending].filter(([, one]) => media.has(one.mediaId));
  const first = newer.reduce((earliest, [, { at }]) => Math.min(earliest, Date.parse(at)), Number.POSITIVE_INFINITY);
  const delay = Date.now() + CLOCKS_MS - first;
  if (delay <= 0) return;
  for (const [slot, decision] of newer) {
    const later = { ...decision, at: new Date(Date.parse(decision.at) + delay).toISOString() };
    pending.set(slot, later);
    if (storage?.get(slot)?.at === decision.at) storage?.put(slot, later);
  }
}

/** In the order they were decided in. */
async function sendAll(): Promise<void> {
  const round: Round = { failed: 0, stuck: new Set() };
  try {
    for (let next = oldest(round.stuck); next.length && owner; next = oldest(round.stuck)) {
      if (!(await deliverAndTell(next, owner, round))) return;
    }
  } finally {
    waiting.value = pending.size;
  }
}

async function deliverAndTell(decisions: Decision[], user: string, round: Round): Promise<boolean> {
  const outcome: Outcome = { sent: [], refused: [], round };
  const isReachable = await deliver(decisions, user, outcome);
  refusals.push(...outcome.refused.map(({ error }) => error));
  if (outcome.sent.length) onSent(outcome.sent);
  if (outcome.refused.length) onRefused(outcome.refused);
  return isReachable;
}

/** What was decided first, with all that was decided in the same moment. */
function oldest(stuck = new Set<string>()): Decision[] {
  load(); // another window may have sent some meanwhile, or taken them back
  const all = [...pending.values()].filter((one) => !stuck.has(one.mediaId));
  const first = all.reduce<Decision | null>((found, one) => (found && found.at <= one.at ? found : one), null);
  return first ? all.filter((one) => isTogether(first, one)).slice(0, MOST_TOGETHER) : [];
}

/** Whether to go on: not when the server cannot be reached. */
async function deliver(taken: Decision[], user: string, outcome: Outcome): Promise<boolean> {
  const decisions = taken.filter(isPending); // the user, or another window, may have changed some since
  const [only] = decisions;
  if (!only) return true;
  try {
    const isDated = isLate(only);
    await sendNow(decisions, user, isDated);
    drop(decisions);
    if (!isDated) redate(decisions);
  } catch (error) {
    if (canRetry(error)) {
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

async function sendNow(decisions: Decision[], user: string, isDated: boolean): Promise<void> {
  if (isDated) await learnServerTime();
  const [only] = decisions;
  if (decisions.length > 1) await sendTogether(decisions, user, isDated);
  else if (only) await sendDecision(only, user, isDated);
}

const isPending = (decision: Decision) => pending.get(slotOf(decision.mediaId, decision))?.at === decision.at;
const isLate = (decision: Decision) => late.has(slotOf(decision.mediaId, decision));

/** Whether the server fails at these again and again. */
function countFault(decisions: Decision[], error: unknown): boolean {
  if (!(error instanceof ApiError) || !error.isFault) return false;
  const counts = decisions.map((one) => {
    const slot = slotOf(one.mediaId, one);
    faults.set(slot, (faults.get(slot) ?? 0) + 1);
    return faults.get(slot) ?? 0;
  });
  return counts.some((count) => count >= MOST_FAULTS);
}

/** They wait for the next retry; the others among them, and all about other media, do not. */
async function passOver(decisions: Decision[], user: string, outcome: Outcome): Promise<boolean> {
  outcome.round.failed += 1;
  if (decisions.length > 1 && outcome.round.failed < MOST_FAILED) return deliverHalves(decisions, user, outcome);
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

const queue = sender({
  lock: () => (owner && oldest().length ? `nexus-actions-${owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (storage?.isAbout(event.key)) load();
  },
});

/** Entries of the server with what is not sent yet. */
function over(entries: Entry[]): Entry[] {
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
  add: (entry: Target, ...changes: Change[]) => add([entry], () => changes),
  addMany: add,
  /** What is not sent yet is sent with its time. */
  markLate,
  over,
  waiting: readonly(waiting),
  /** Whether something about this media, or that change of it, is not sent yet. */
  has: (mediaId: string, change?: Change) =>
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
