import { computed, shallowRef } from "vue";
import { ApiError, messageOf } from "@/api/errors";
import { type Save, save } from "@/api/library";
import { exclusively } from "@/device/exclusively";
import { newKey } from "@/device/new-key";
import { type OwnedEntries, ownedEntries } from "@/device/owned-entries";
import { unownedSaves } from "@/device/unowned-saves";

export interface Outgoing {
  key: string;
  body: Save;
  /** sending → sent (shown until the list has it); waiting: no connection; refused: the server said why. */
  state: "sending" | "sent" | "waiting" | "refused";
  itemId?: string;
  message?: string;
  at: string;
  /** Its place among those that were added at the same time. */
  index: number;
}

type Kept = Pick<Outgoing, "body" | "at" | "index"> & { refused?: string };

const RETRY_MS = 15_000;
const outgoing = shallowRef<Outgoing[]>([]);
const unowned = shallowRef(0);
/** Kept in this browser under the user they belong to: whoever uses it next neither sees nor sends them. */
let owner: string | null = null;
let storage: OwnedEntries<Kept> | null = null;
const kept = new Set<string>();
let onSent: () => void = () => {};
let isSending = false;
let isAskedAgain = false;

/** As the list will show them: the latest on top, and of those added together the first. */
const inListOrder = (a: Outgoing, b: Outgoing) => b.at.localeCompare(a.at) || a.index - b.index;

function keep(one: Outgoing): void {
  const value: Kept = { body: one.body, at: one.at, index: one.index };
  if (one.state === "refused") value.refused = one.message ?? "";
  if (storage?.put(one.key, value)) kept.add(one.key);
}

function change(key: string, difference: Partial<Outgoing>): void {
  outgoing.value = outgoing.value.map((one) => (one.key === key ? { ...one, ...difference } : one));
}

function drop(keys: ReadonlySet<string>): void {
  outgoing.value = outgoing.value.filter((one) => !keys.has(one.key));
  for (const key of keys) {
    storage?.remove(key);
    kept.delete(key);
  }
}

function add(bodies: Save[]): void {
  const at = new Date().toISOString();
  const fresh = bodies.map((body, index) => ({ key: newKey(), body, state: "waiting" as const, at, index }));
  outgoing.value = [...fresh, ...outgoing.value];
  if (storage) fresh.forEach(keep);
  else unownedSaves.add(fresh); // until the server says who this is
  void send();
}

/** What is in storage, with what this window knows of it; what another window sent or dismissed is gone. */
function load(): void {
  const known = new Map(outgoing.value.map((one) => [one.key, one]));
  const stored = storage?.read() ?? new Map<string, Kept>();
  const lasting = outgoing.value.filter((one) => !stored.has(one.key) && (one.state === "sent" || !kept.has(one.key)));
  const read = [...stored].map(([key, { refused, ...rest }]): Outgoing => {
    kept.add(key);
    const state =
      refused === undefined ? { state: "waiting" as const } : { state: "refused" as const, message: refused };
    return known.get(key) ?? { key, ...rest, ...state };
  });
  outgoing.value = [...lasting, ...read].sort(inListOrder);
}

/** From now on for this user. What this window added before anybody knew who it works for is theirs. */
function belongTo(user: string): void {
  if (owner === user) return;
  const early = owner === null ? outgoing.value : [];
  owner = user;
  storage = ownedEntries<Kept>("nexus.outbox", user);
  kept.clear();
  outgoing.value = early;
  early.forEach(keep);
  unownedSaves.remove(new Set(early.map((one) => one.key)));
  unowned.value = unownedSaves.isDeclinedBy(user) ? 0 : unownedSaves.read().length;
  load();
}

/** Everything that waits, one after the other and the oldest first: the list is in the order they arrive in. */
async function send(): Promise<void> {
  if (owner === null) return;
  isAskedAgain = isSending; // what comes while the last one is being sent must not wait for the next try
  if (isSending) return;
  isSending = true;
  try {
    await exclusively(`nexus-outbox-${owner}`, sendAll);
  } finally {
    isSending = false;
  }
  if (isAskedAgain) void send();
}

async function sendAll(): Promise<void> {
  load(); // another window may have sent some meanwhile
  for (let next = lastWaiting(); next && owner; next = lastWaiting()) {
    if (!(await deliver(next, owner))) return;
  }
}

const lastWaiting = () => outgoing.value.findLast((one) => one.state === "waiting");

async function deliver({ key, body }: Outgoing, user: string): Promise<boolean> {
  change(key, { state: "sending" });
  try {
    const answer = await save(body, user);
    storage?.remove(key);
    change(key, { state: "sent", itemId: answer.id });
    onSent();
    return true;
  } catch (error) {
    const isPassing = error instanceof ApiError && (error.isTemporary || error.status === 401 || error.isOtherUser);
    change(key, { state: isPassing ? "waiting" : "refused", message: messageOf(error) });
    const refused = outgoing.value.find((one) => one.key === key && one.state === "refused");
    if (refused) keep(refused);
    return !isPassing;
  }
}

/** Whatever has been sent by now will be in the next list; call the result when that list is there. */
function settling(): () => void {
  const keys = new Set(outgoing.value.filter((one) => one.state === "sent").map((one) => one.key));
  return () => drop(keys);
}

const onStorage = (event: StorageEvent) => {
  if (storage?.isAbout(event.key)) load();
};
const trySending = () => void send();

/** Sends what waits, now and whenever the connection may be back; call the result to stop. */
function start(): () => void {
  const timer = window.setInterval(trySending, RETRY_MS);
  window.addEventListener("online", trySending);
  window.addEventListener("storage", onStorage);
  trySending();
  return () => {
    window.clearInterval(timer);
    window.removeEventListener("online", trySending);
    window.removeEventListener("storage", onStorage);
  };
}

/** What to do with saves of which nobody knows whose they are. */
function decideUnowned(decision: "mine" | "delete" | "notMine"): void {
  const found = unownedSaves.read();
  if (decision === "notMine" && owner) unownedSaves.decline(owner);
  if (decision === "mine") {
    const mine = found.map(({ key, body, at }, index): Outgoing => ({ key, body, at, index, state: "waiting" }));
    mine.forEach(keep);
    outgoing.value = [...outgoing.value, ...mine].sort(inListOrder);
  }
  if (decision !== "notMine") unownedSaves.remove(new Set(found.map((one) => one.key)));
  unowned.value = 0;
  void send();
}

export function useOutbox() {
  return {
    outgoing,
    /** Not on the server yet. */
    unsent: computed(() => outgoing.value.filter((one) => one.state !== "sent").length),
    unowned,
    decideUnowned,
    add,
    send: trySending,
    belongTo,
    start,
    settling,
    dismiss: (key: string) => drop(new Set([key])),
    discardAll: () => drop(new Set(outgoing.value.map((one) => one.key))),
    whenSent: (listener: () => void) => {
      onSent = listener;
    },
  };
}
