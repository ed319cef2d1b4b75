/** Answers the popup and the options page. */
import type { Answer, Message, Requests, SaveResult } from "../shared/messages";
import { RefusedError, Server, UnreachableError } from "../shared/server";
import { loadSettings, storeSettings } from "../shared/settings";
import * as texts from "../shared/texts";
import type { LookupResult, PairingOffer } from "../shared/types";
import { showCount } from "./badge";
import { changeEntry, entries, removeEntry } from "./outbox";
import { addPage } from "./saving";
import { type Outcome, sendAgain, sendAll, sendEntry } from "./sending";

type Handlers = {
  [Kind in keyof Requests]: (request: Requests[Kind]["request"]) => Promise<Requests[Kind]["response"]>;
};

const HANDLERS: Handlers = {
  save,
  describe,
  lookup: ({ url }) => lookup(url),
  tags: async () => (await server()).tags(),
  waiting: async () => (await entries()).map(({ key, url, title, problem }) => ({ key, url, title, problem })),
  discard: async ({ key }) => {
    await removeEntry(key);
    await showCount();
    return null;
  },
  retry: async ({ key }) => {
    await changeEntry(key, { problem: null });
    await sendAgain(() => void showCount());
    await showCount();
    return null;
  },
  pair,
};

export async function answer(message: Message): Promise<Answer<unknown>> {
  try {
    const handle = HANDLERS[message.kind] as (request: Message) => Promise<unknown>;
    return { value: await handle(message) };
  } catch (error) {
    return { error: sentenceOf(error) };
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof UnreachableError) return texts.serverAway;
  if (error instanceof RefusedError && error.status === 401) return texts.notConnected;
  return error instanceof Error ? error.message : String(error);
}

async function server(): Promise<Server> {
  const settings = await loadSettings();
  return new Server(settings.server, settings.token);
}

async function save({ tabId, itemId }: Requests["save"]["request"]): Promise<SaveResult> {
  const { entry, hint } = await addPage(await chrome.tabs.get(tabId), { itemId });
  const outcome = await sendEntry(entry);
  await showCount();
  if (outcome.kind !== "saved") void sendAll(() => void showCount());
  return { key: entry.key, ...result(outcome, hint) };
}

function result(outcome: Outcome, hint: string | null): Omit<SaveResult, "key"> {
  switch (outcome.kind) {
    case "saved":
      return { state: "saved", message: hint ?? texts.saved, saved: outcome.saved };
    case "reading":
      return { state: "reading", message: texts.reading, saved: null };
    case "queued":
      return { state: "queued", message: `${outcome.message} ${texts.queued}`, saved: null };
    case "refused":
      return { state: "refused", message: texts.notSaved(outcome.message), saved: null };
  }
}

/** Tags and a note go with what is still in the outbox, else to the entry that the server made of it. */
async function describe({ key, url, mediaId, tags, note }: Requests["describe"]["request"]): Promise<null> {
  if (key && (await changeEntry(key, { tags, note }))) return null;
  const known = mediaId ?? (await lookup(url))?.media_id;
  if (!known) throw new Error(texts.notDescribed);
  await (await server()).describe(known, { tags, note: note || null });
  return null;
}

async function lookup(url: string): Promise<LookupResult | null> {
  return (await server()).lookup(url);
}

async function pair({ server: url, code }: PairingOffer): Promise<null> {
  const { token } = await new Server(url, "").exchange(code, browserName());
  await storeSettings({ server: url, token });
  void sendAgain(() => void showCount());
  return null;
}

/** As the list of paired browsers calls it. */
function browserName(): string {
  if (navigator.userAgent.includes("Firefox/")) return "Firefox";
  return navigator.userAgent.includes("Edg/") ? "Edge" : "Chromium";
}
