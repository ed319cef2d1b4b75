import { computed, shallowRef } from "vue";
import { messageOf } from "@/api/errors";
import { type SaveRequest, save } from "@/api/library";
import { newKey } from "@/device/new-key";
import { canRetry, createQueueSender } from "@/device/sender";
import { unownedItems } from "@/device/unowned-items";
import { type UserStorage, userStorage } from "@/device/user-storage";

export interface Outgoing {
  key: string;
  body: SaveRequest;
  /** sending → sent (shown until the list has it); waiting: no connection; refused: the server said why. */
  state: "sending" | "sent" | "waiting" | "refused";
  itemId?: string;
  message?: string;
  at: string;
  /** Its index among those that were added together. */
  index: number;
  /** Whether it is in this browser's storage; else it is lost with the page. */
  isStored: boolean;
}

type StoredSave = Pick<Outgoing, "body" | "at" | "index"> & { refused?: string };

const outgoing = shallowRef<Outgoing[]>([]);
const unowned = shallowRef(0);
/** Stored per user: the next user of this browser neither sees nor sends them. */
let owner: string | null = null;
let storage: UserStorage<StoredSave> | null = null;
let onSent: () => void = () => {};

/** As in the list: the latest first, those added together in their order. */
const inListOrder = (a: Outgoing, b: Outgoing) => b.at.localeCompare(a.at) || a.index - b.index;

/** Stored for its user, if this browser can store it. */
function keep(one: Outgoing): Outgoing {
  const value: StoredSave = { body: one.body, at: one.at, index: one.index };
  if (one.state === "refused") value.refused = one.message ?? "";
  return { ...one, isStored: storage?.put(one.key, value) ?? false };
}

function change(key: string, difference: Partial<Outgoing>): void {
  outgoing.value = outgoing.value.map((one) => (one.key === key ? { ...one, ...difference } : one));
}

function forget(key: string): void {
  storage?.remove(key);
  unownedItems.remove(new Set([key]));
}

function drop(keys: ReadonlySet<string>): void {
  outgoing.value = outgoing.value.filter((one) => !keys.has(one.key));
  keys.forEach(forget);
}

const waiting = (save: Omit<Outgoing, "state" | "isStored">): Outgoing => ({
  ...save,
  state: "waiting",
  isStored: true,
});
const withStored = (saves: Outgoing[], isStored: boolean) => saves.map((one) => ({ ...one, isStored }));

function add(bodies: SaveRequest[]): void {
  const at = new Date().toISOString();
  const made = bodies.map((body, index) => waiting({ key: newKey(), body, at, index }));
  // Without a user until the server says who is signed in.
  const fresh = storage ? made.map(keep) : withStored(made, unownedItems.add(made));
  outgoing.value = [...fresh, ...outgoing.value];
  queue.send();
}

/** Merges storage with the state of this window; what another window sent or dismissed is dropped. */
function load(): void {
  const known = new Map(outgoing.value.map((one) => [one.key, one]));
  const stored = storage?.read() ?? new Map<string, StoredSave>();
  const lasting = outgoing.value.filter((one) => !stored.has(one.key) && (one.state === "sent" || !one.isStored));
  const read = [...stored].map(([key, { refused, ...rest }]): Outgoing => {
    const here = known.get(key);
    if (refused === undefined) return here ?? waiting({ key, ...rest });
    return here?.state === "refused" ? here : { ...waiting({ key, ...rest }), state: "refused", message: refused };
  });
  outgoing.value = [...lasting, ...read].sort(inListOrder);
}

/** Sets the user. What this window added before the user was known becomes theirs. */
function setUser(user: string): void {
  if (owner === user) return;
  const early = owner === null ? outgoing.value : [];
  owner = user;
  storage = userStorage<StoredSave>("nexus.outbox", user);
  outgoing.value = takeOver(early);
  unowned.value = unownedItems.isDeclinedBy(user) ? 0 : unownedElsewhere().length;
  load();
}

/** Unowned items become this user's, where they can be stored as such. */
function takeOver(saves: Outgoing[]): Outgoing[] {
  const taken = saves.map(keep);
  unownedItems.remove(new Set(taken.filter((one) => one.isStored).map((one) => one.key)));
  return taken;
}

/** Without those in the outbox of this window. */
function unownedElsewhere() {
  const known = new Set(outgoing.value.map((one) => one.key));
  return unownedItems.read().filter((one) => !known.has(one.key));
}

/** Sends what waits, one after the other and the oldest first: the list has the order of arrival. */
async function sendAll(): Promise<void> {
  for (let next = lastWaiting(); next && owner; next = lastWaiting()) {
    if (!(await deliver(next, owner))) return;
  }
}

function lastWaiting(): Outgoing | undefined {
  load(); // another window may have sent some meanwhile
  return outgoing.value.findLast((one) => one.state === "waiting");
}

async function deliver({ key, body }: Outgoing, user: string): Promise<boolean> {
  change(key, { state: "sending" });
  try {
    const answer = await save(body, user, key);
    forget(key);
    change(key, { state: "sent", itemId: answer.id });
    onSent();
    return true;
  } catch (error) {
    const state = canRetry(error) ? "waiting" : "refused";
    change(key, { state, message: messageOf(error) });
    if (state === "refused") outgoing.value = outgoing.value.map((one) => (one.key === key ? keep(one) : one));
    return state === "refused";
  }
}

/** What has been sent by now will be in the next list; call the result when that list has been loaded. */
function forgetSentAfterLoad(): () => void {
  const keys = new Set(outgoing.value.filter((one) => one.state === "sent").map((one) => one.key));
  return () => drop(keys);
}

/** Those that the list has already: one that was requested before they were sent may have them, too. */
function dropListed(entries: readonly { item_id: string | null }[]): void {
  const sent = outgoing.value.filter((one) => one.state === "sent");
  if (!sent.length) return;
  const listed = new Set(entries.map((entry) => entry.item_id));
  const keys = sent.filter((one) => listed.has(one.itemId ?? "")).map((one) => one.key);
  if (keys.length) drop(new Set(keys));
}

const queue = createQueueSender({
  lock: () => (owner && lastWaiting() ? `nexus-outbox-${owner}` : null),
  sendAll,
  onStorage: (event) => {
    if (storage?.isAbout(event.key)) load();
  },
});

/** What to do with items whose user is unknown. */
function decideUnowned(decision: "mine" | "delete" | "notMine"): void {
  const found = unownedElsewhere();
  if (decision === "notMine" && owner) unownedItems.decline(owner);
  if (decision === "delete") unownedItems.remove(new Set(found.map((one) => one.key)));
  if (decision === "mine") {
    const mine = takeOver(found.map(({ key, body, at }, index) => waiting({ key, body, at, index })));
    outgoing.value = [...outgoing.value, ...mine].sort(inListOrder);
  }
  unowned.value = 0;
  queue.send();
}

export function useOutbox() {
  return {
    outgoing,
    /** Not on the server yet. */
    unsent: computed(() => outgoing.value.filter((one) => one.state !== "sent").length),
    unowned,
    decideUnowned,
    add,
    setUser,
    ...queue,
    forgetSentAfterLoad,
    dropListed,
    dismiss: (key: string) => drop(new Set([key])),
    discardAll: () => drop(new Set(outgoing.value.map((one) => one.key))),
    whenSent: (listener: () => void) => {
      onSent = listener;
    },
  };
}
