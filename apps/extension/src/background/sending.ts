/** Sends what is in the outbox, oldest first; what cannot be sent now stays there. */
import { RefusedError, Server, UnreachableError } from "../shared/server";
import { loadSettings } from "../shared/settings";
import * as texts from "../shared/texts";
import type { Saved } from "../shared/types";
import { describeAndRemove } from "./describing";
import { changeEntry, entries, findEntry, type OutboxEntry } from "./outbox";

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
const BEING_READ = new Set(["queued", "processing"]);
const NEEDS_PAGE = new Set(["needs_user_text", "failed"]);

/** What happened to one entry; "reading": the server is still reading the link. */
export type Outcome =
  | { kind: "saved"; saved: Saved | null }
  | { kind: "reading" }
  | { kind: "refused"; message: string }
  | { kind: "queued"; message: string };

const underWay = new Map<string, Promise<Outcome>>();

/** Once at a time: what the popup is sending may be in the outbox that all is sent from. */
export function sendEntry(entry: OutboxEntry): Promise<Outcome> {
  const outcome = underWay.get(entry.key) ?? sendNow(entry).finally(() => underWay.delete(entry.key));
  underWay.set(entry.key, outcome);
  return outcome;
}

async function sendNow(entry: OutboxEntry): Promise<Outcome> {
  const { server, token } = await loadSettings();
  try {
    return await deliverAndDescribe(new Server(server, token), entry);
  } catch (error) {
    if (error instanceof UnreachableError) return { kind: "queued", message: texts.serverAway };
    if (!(error instanceof RefusedError)) throw error;
    if (error.mayPass) return { kind: "queued", message: error.status === 401 ? texts.notConnected : error.message };
    await changeEntry(entry.key, { problem: error.message });
    return { kind: "refused", message: error.message };
  }
}

async function deliverAndDescribe(server: Server, entry: OutboxEntry): Promise<Outcome> {
  const outcome: Outcome = entry.delivered ? { kind: "saved", ...entry.delivered } : await deliver(server, entry);
  if (outcome.kind === "saved") await describeAndRemove(server, entry.key, outcome.saved);
  return outcome;
}

async function deliver(server: Server, entry: OutboxEntry): Promise<Outcome> {
  if (!entry.page) {
    await server.saveLink(entry.url, entry.key);
    return { kind: "saved", saved: null };
  }
  if (entry.isLinkFirst) return deliverLinkFirst(server, entry);
  return { kind: "saved", saved: await capture(server, entry, entry.itemId) };
}

async function deliverLinkFirst(server: Server, entry: OutboxEntry): Promise<Outcome> {
  const sent = entry.linkItemId ?? (await server.saveLink(entry.url, entry.key)).id;
  if (!entry.linkItemId) await changeEntry(entry.key, { linkItemId: sent });
  const { status } = await server.item(sent);
  if (BEING_READ.has(status)) return { kind: "reading" };
  if (NEEDS_PAGE.has(status)) return { kind: "saved", saved: await capture(server, entry, sent) };
  return { kind: "saved", saved: null };
}

/** An item that no longer waits for a text has one: then the page becomes the user's own version of it. */
async function capture(server: Server, entry: OutboxEntry, itemId: string | null): Promise<Saved> {
  const { itemId: _, ...page } = entry.page as NonNullable<OutboxEntry["page"]>;
  // The server may have the page from an earlier request, and takes it once: what was added since is sent after it.
  const described = entry.described ?? { tags: entry.tags, note: entry.note };
  await changeEntry(entry.key, { described });
  const body = { ...page, ...described };
  try {
    return await server.capture({ ...body, item_id: itemId }, `${entry.key}-page`);
  } catch (error) {
    const isFilled = error instanceof RefusedError && itemId !== null && [404, 409].includes(error.status);
    if (!isFilled) throw error;
    return server.capture({ ...body, item_id: null }, `${entry.key}-page`);
  }
}

let sending: Promise<void> | null = null;
let pause = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

/** All of them, one after the other; called whenever the extension is awake for another reason, too. */
export function sendAll(onChange: () => void): Promise<void> {
  sending ??= sendEach(onChange).finally(() => {
    sending = null;
  });
  return sending;
}

/** After those that are being sent: these may have begun before the server was there, or another one was chosen. */
export async function sendAgain(onChange: () => void): Promise<void> {
  await Promise.allSettled([sending, ...underWay.values()]);
  await sendAll(onChange);
}

async function sendEach(onChange: () => void): Promise<void> {
  clearTimeout(timer);
  const isLeft = await sendUntilNoneIsNew(onChange);
  pause = isLeft ? Math.min(2 * pause, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
  if (isLeft) timer = setTimeout(() => void sendAll(onChange), pause);
}

/** With what is added meanwhile: whoever added it waits for this. Whether something is left for later. */
async function sendUntilNoneIsNew(onChange: () => void): Promise<boolean> {
  const tried = new Set<string>();
  const newKeys = async () => (await entries()).map(({ key }) => key).filter((key) => !tried.has(key));
  let isLeft = false;
  for (let keys = await newKeys(); keys.length; keys = await newKeys()) {
    for (const key of keys) {
      tried.add(key);
      const entry = await findEntry(key); // its tags may have been added meanwhile
      if (!entry || entry.problem) continue;
      const { kind } = await sendEntry(entry);
      onChange();
      if (kind === "queued") return true; // the server is away for all of them
      isLeft ||= kind === "reading";
    }
  }
  return isLeft;
}
