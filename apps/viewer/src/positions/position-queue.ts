import { ApiError } from "@/api/errors";
import { type NewPosition, putPosition, type ServerPosition } from "@/api/positions";
import { serverTime } from "@/api/server-clock";
import { learnServerTime } from "@/api/session";
import { canRetry, sender } from "@/device/sender";
import { type UserStorage, userStorage } from "@/device/user-storage";
import { deviceName } from "./device-name";

type Part = "text" | "audio";
type Position = Omit<NewPosition, "client_time" | "device">;

/** A position that is not on the server yet. */
interface Waiting {
  position: Position;
  /** When the user was there, by the clock of this device. */
  at: number;
}

/** Positions come every few seconds while somebody reads; they go together. */
const TOGETHER_MS = 2000;
/** So many it may fail at until the next retry. */
const MOST_FAILED = 30;

/** By media and part ("m1.text"): of two positions of one part the later counts. */
const waiting = new Map<string, Waiting>();
const kept = new Set<string>();
let owner: string | null = null;
let storage: UserStorage<Waiting> | null = null;
let timer = 0;
let onAnswer: (position: ServerPosition) => void = () => {};

function setUser(user: string): void {
  if (owner === user) return;
  owner = user;
  storage = userStorage<Waiting>("nexus.position-queue", user);
  waiting.clear();
  kept.clear();
  load();
}

/** Merges storage, which other windows change, too, with what could not be stored. */
function load(): void {
  const stored = storage?.read() ?? new Map<string, Waiting>();
  for (const key of [...kept].filter((one) => !stored.has(one))) {
    waiting.delete(key);
    kept.delete(key);
  }
  for (const [key, one] of stored) {
    if ((waiting.get(key)?.at ?? 0) > one.at) continue;
    waiting.set(key, one);
    kept.add(key);
  }
}

function add(mediaId: string, part: Part, position: Position, at: number): void {
  const key = `${mediaId}.${part}`;
  waiting.set(key, { position, at });
  if (storage?.put(key, { position, at })) kept.add(key);
  else kept.delete(key);
  timer ||= window.setTimeout(sendNow, TOGETHER_MS);
}

/** Until all is sent, or the server cannot be reached. */
function finish(): Promise<void> {
  window.clearTimeout(timer);
  timer = 0;
  return queue.sent();
}
const sendNow = () => void finish();

function drop(key: string, at: number): void {
  if (waiting.get(key)?.at === at) {
    waiting.delete(key);
    kept.delete(key);
  }
  if (storage?.read().get(key)?.at === at) storage.remove(key);
}

/** Of those that the server did not fail at just now: they wait for the next retry, and keep no others waiting. */
function oldest(failed = new Set<string>()): [key: string, waiting: Waiting] | undefined {
  load();
  const others = [...waiting].filter(([key]) => !failed.has(key));
  return others.sort(([, a], [, b]) => a.at - b.at)[0];
}

async function sendAll(): Promise<void> {
  const failed = new Set<string>();
  for (let next = oldest(); next && owner && failed.size < MOST_FAILED; next = oldest(failed)) {
    const [key, { position, at }] = next;
    const user = owner; // another one may sign in while this waits
    try {
      await learnServerTime();
      const body = { ...position, client_time: new Date(serverTime(at)).toISOString(), device: deviceName() };
      onAnswer(await putPosition(key.split(".")[0] as string, body, user));
    } catch (error) {
      if (error instanceof ApiError && error.isFault) {
        failed.add(key);
        continue;
      }
      if (canRetry(error)) return;
      // Refused: the text is in the library no longer, and nobody is anywhere in it.
    }
    drop(key, at);
  }
}

const queue = sender({
  lock: () => (owner && oldest() ? `nexus-positions-${owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (storage?.isAbout(event.key)) load();
  },
});

/** A phone that is put away may never come back to this page. */
function onHidden(): void {
  if (document.visibilityState === "hidden") sendNow();
}

export const positionQueue = {
  setUser,
  add,
  send: sendNow,
  finish,
  start: (): (() => void) => {
    const stop = queue.start();
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      window.clearTimeout(timer);
      timer = 0;
      stop();
    };
  },
  /** With each answer of the server: what holds now, maybe of another device. */
  whenAnswered: (listener: typeof onAnswer) => {
    onAnswer = listener;
  },
};
