import { ApiError } from "@/api/errors";
import { type NewPosition, putPosition, type ServerPosition } from "@/api/positions";
import { clientTime, latestServerTime } from "@/api/server-clock";
import { learnServerTime } from "@/api/session";
import { canRetry, createQueueSender } from "@/device/sender";
import { StoredQueue } from "@/device/stored-queue";
import { userStorage } from "@/device/user-storage";
import { deviceName } from "./device-name";

type Part = "text" | "audio";
type Position = Omit<NewPosition, "client_time" | "device">;

/** A position that is not on the server yet. */
interface Waiting {
  position: Position;
  /** When the user was there, by the clock of this device; by the server's it was later than `after`. */
  at: string;
  after: number;
}

/** Positions come every few seconds while somebody reads; they go together. */
const BATCH_MS = 2000;
/** A round ends once the server has failed at this many positions. */
const MAX_FAILED = 30;

/** By media and part ("m1.text"): of two positions of one part the later counts. */
const stored = new StoredQueue<Waiting>("nexus.waiting-positions");
let timer = 0;
let onAnswer: (position: ServerPosition) => void = () => {};

/** Another one, or the first; with what an earlier version of this viewer has stored, with a number as its time. */
function setUser(user: string): void {
  if (!stored.setUser(user)) return;
  const earlier = userStorage<{ position: Position; at: number }>("nexus.position-queue", user);
  for (const [key, { position, at }] of earlier.read()) {
    const time = new Date(at).toISOString();
    if ((stored.waiting.get(key)?.at ?? "") < time) stored.put(key, { position, at: time, after: 0 });
    earlier.remove(key);
  }
}

function add(mediaId: string, part: Part, position: Position, at: number): void {
  const key = `${mediaId}.${part}`;
  const before = stored.waiting.get(key)?.at;
  const time = Math.max(at, before ? Date.parse(before) + 1 : 0);
  stored.put(key, { position, at: new Date(time).toISOString(), after: latestServerTime() });
  timer ||= window.setTimeout(sendNow, BATCH_MS);
}

/** Until all is sent, or the server cannot be reached. */
function finish(): Promise<void> {
  window.clearTimeout(timer);
  timer = 0;
  return queue.sent();
}
const sendNow = () => void finish();

/** Where the user has been in the same part meanwhile must be later for the server, too. */
function drop(key: string, sent: Waiting, time: number): void {
  stored.drop(key, sent);
  stored.load(); // another window's, too
  const next = stored.waiting.get(key);
  if (next) stored.put(key, { ...next, after: Math.max(time, next.after) });
}

/** `failed`: those that the server failed at just now. They wait for the next retry, and keep no others waiting. */
function oldest(failed = new Set<string>()): [key: string, waiting: Waiting] | undefined {
  return stored.inOrder().find(([key]) => !failed.has(key));
}

async function sendAll(): Promise<void> {
  const failed = new Set<string>();
  for (let next = oldest(); next && stored.owner && failed.size < MAX_FAILED; next = oldest(failed)) {
    const [key, waiting] = next;
    const user = stored.owner; // another one may sign in while this waits
    let time = 0;
    try {
      await learnServerTime();
      time = clientTime(waiting);
      const body = { ...waiting.position, client_time: new Date(time).toISOString(), device: deviceName() };
      onAnswer(await putPosition(key.split(".")[0] as string, body, user));
    } catch (error) {
      if (error instanceof ApiError && error.isFault) {
        failed.add(key);
        continue;
      }
      if (canRetry(error)) return;
      // Refused: the text is in the library no longer, and nobody is anywhere in it.
    }
    drop(key, waiting, time);
  }
}

const queue = createQueueSender({
  lock: () => (stored.owner && oldest() ? `nexus-positions-${stored.owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (stored.isAbout(event.key)) stored.load();
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
