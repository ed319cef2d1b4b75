import { fetchReadAt, markRead, markUnread } from "@/api/library";
import type { Entry } from "@/api/types";
import { canRetry, sender } from "@/device/sender";
import { type UserStorage, userStorage } from "@/device/user-storage";

/** `at`: when the user decided; they are sent in this order. */
interface Mark {
  isRead: boolean;
  at: string;
}

/** Decided here and not on the server yet, by media: of two decisions about one, the later counts. */
const pending = new Map<string, Mark>();
/** Those of them that are in storage: when they are gone from there, another window has sent them. */
const kept = new Set<string>();
let owner: string | null = null;
let storage: UserStorage<Mark> | null = null;
let onRefused: (mediaId: string, error: unknown) => void = () => {};
let onSent: () => void = () => {};

const readAtOf = ({ isRead, at }: Mark) => (isRead ? at : null);

function setUser(user: string): void {
  if (owner === user) return;
  owner = user;
  storage = userStorage<Mark>("nexus.read-marks", user);
  pending.clear();
  kept.clear();
  load();
}

/** Merges storage, which other windows change, too, with what could not be stored. */
function load(): void {
  const stored = storage?.read() ?? new Map<string, Mark>();
  for (const mediaId of [...kept].filter((one) => !stored.has(one))) {
    pending.delete(mediaId);
    kept.delete(mediaId);
  }
  for (const [mediaId, mark] of stored) {
    const known = pending.get(mediaId);
    if (known && known.at > mark.at) continue; // decided here since, and not stored
    pending.set(mediaId, mark);
    kept.add(mediaId);
  }
}

function add(mediaId: string, isRead: boolean): void {
  load();
  const mark = { isRead, at: laterThan(pending.get(mediaId)?.at) };
  pending.set(mediaId, mark);
  if (storage?.put(mediaId, mark)) kept.add(mediaId);
  else kept.delete(mediaId);
  queue.send();
}

/** Now; two decisions in one millisecond are still two. */
function laterThan(earlier: string | undefined): string {
  const now = Date.now();
  return new Date(earlier ? Math.max(now, Date.parse(earlier) + 1) : now).toISOString();
}

function drop(mediaId: string, mark: Mark): void {
  if (pending.get(mediaId)?.at === mark.at) {
    pending.delete(mediaId);
    kept.delete(mediaId);
  }
  if (storage?.read().get(mediaId)?.at === mark.at) storage.remove(mediaId);
}

/** One after the other, in the order they were decided in. */
async function sendAll(): Promise<void> {
  let count = 0;
  for (let next = oldest(); next && owner; next = oldest()) {
    if (!(await deliver(...next, owner))) return;
    count += 1;
  }
  if (count > 0) onSent();
}

function oldest(): [mediaId: string, mark: Mark] | undefined {
  load(); // another window may have sent some meanwhile, or taken them back
  return [...pending].sort(([, a], [, b]) => a.at.localeCompare(b.at))[0];
}

async function deliver(mediaId: string, mark: Mark, user: string): Promise<boolean> {
  try {
    await (mark.isRead ? markRead : markUnread)(mediaId, user);
  } catch (error) {
    if (canRetry(error)) return false;
    drop(mediaId, mark);
    onRefused(mediaId, error);
    return true;
  }
  drop(mediaId, mark);
  return true;
}

const queue = sender({
  lock: () => (owner && oldest() ? `nexus-read-marks-${owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (storage?.isAbout(event.key)) load();
  },
});

export const readQueue = {
  setUser,
  add,
  ...queue,
  has: (mediaId: string) => pending.has(mediaId),
  /** An entry of the server with the mark that is not sent yet. */
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
