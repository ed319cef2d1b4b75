import { ApiError } from "@/api/errors";
import { fetchReadAt, markRead, markUnread } from "@/api/library";
import type { Entry } from "@/api/types";
import { exclusively } from "@/device/exclusively";
import { type OwnedEntries, ownedEntries } from "@/device/owned-entries";

/** `at`: when the user decided; it is also what they are sent in the order of. */
interface Mark {
  isRead: boolean;
  at: string;
}

const RETRY_MS = 15_000;
/** Decided here and not on the server yet, by media: of two decisions about one, the later counts. */
const pending = new Map<string, Mark>();
let owner: string | null = null;
let storage: OwnedEntries<Mark> | null = null;
let onRefused: (mediaId: string, error: unknown) => void = () => {};
let onSent: () => void = () => {};
let isSending = false;
let isAskedAgain = false;

const readAtOf = ({ isRead, at }: Mark) => (isRead ? at : null);

function belongTo(user: string): void {
  if (owner === user) return;
  owner = user;
  storage = ownedEntries<Mark>("nexus.read-marks", user);
  pending.clear();
  load();
}

/** Other windows add and send, too. */
function load(): void {
  const stored = storage?.read() ?? new Map<string, Mark>();
  for (const [mediaId, mark] of stored) pending.set(mediaId, mark);
}

function add(mediaId: string, isRead: boolean): void {
  const mark = { isRead, at: new Date().toISOString() };
  pending.set(mediaId, mark);
  storage?.put(mediaId, mark);
  void send();
}

function drop(mediaId: string, mark: Mark): void {
  if (pending.get(mediaId)?.at === mark.at) pending.delete(mediaId);
  if (storage?.read().get(mediaId)?.at === mark.at) storage.remove(mediaId);
}

/** One after the other, in the order they were decided in. */
async function send(): Promise<void> {
  if (owner === null) return;
  isAskedAgain = isSending;
  if (isSending) return;
  isSending = true;
  try {
    await exclusively(`nexus-read-marks-${owner}`, sendAll);
  } finally {
    isSending = false;
  }
  if (isAskedAgain) void send();
}

async function sendAll(): Promise<void> {
  load();
  const waiting = [...pending].sort(([, a], [, b]) => a.at.localeCompare(b.at));
  for (const [mediaId, mark] of waiting) {
    if (!owner || !(await deliver(mediaId, mark, owner))) return;
  }
  if (waiting.length > 0) onSent();
}

async function deliver(mediaId: string, mark: Mark, user: string): Promise<boolean> {
  try {
    await (mark.isRead ? markRead : markUnread)(mediaId, user);
  } catch (error) {
    const isPassing = error instanceof ApiError && (error.isTemporary || error.status === 401 || error.isOtherUser);
    if (isPassing) return false;
    drop(mediaId, mark);
    onRefused(mediaId, error);
    return true;
  }
  drop(mediaId, mark);
  return true;
}

function start(): () => void {
  const trySending = () => void send();
  const timer = window.setInterval(trySending, RETRY_MS);
  window.addEventListener("online", trySending);
  trySending();
  return () => {
    window.clearInterval(timer);
    window.removeEventListener("online", trySending);
  };
}

export const readQueue = {
  belongTo,
  add,
  send: () => void send(),
  start,
  has: (mediaId: string) => pending.has(mediaId),
  /** What the server said, with what it has not heard yet. */
  over: (entry: Entry): Entry => {
    const mark = pending.get(entry.media_id);
    return mark ? { ...entry, read_at: readAtOf(mark) } : entry;
  },
  readAt: async (mediaId: string): Promise<string | null> => {
    const mark = pending.get(mediaId);
    return mark ? readAtOf(mark) : fetchReadAt(mediaId);
  },
  whenRefused: (listener: typeof onRefused) => {
    onRefused = listener;
  },
  whenSent: (listener: () => void) => {
    onSent = listener;
  },
};
