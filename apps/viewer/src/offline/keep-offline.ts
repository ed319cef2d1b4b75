import { shallowRef } from "vue";
import { send } from "@/api/client";
import { ApiError } from "@/api/errors";
import { type Filters, NO_FILTERS } from "@/api/filters";
import { fetchHighlights } from "@/api/highlights";
import { fetchEntry, fetchFragments, fetchLibrary, fetchMedia, fetchReadAt, keptOffline } from "@/api/library";
import type { Entry } from "@/api/types";
import { storedValue } from "@/device/stored-value";
import * as texts from "@/texts";
import { NO_ROOM, PINNED_TEXTS } from "./caches";

/** What is to be readable without a connection: the Inbox, or a tag. */
export type OfflineList = { place: "inbox" } | { tag: string };

interface KeepSettings {
  /** Named so by earlier versions, which have stored it. */
  places: OfflineList[];
  /** The most bytes that this browser may keep for this site, other data included. */
  limit: number;
}

interface KeepState {
  kept: number;
  total: number;
  bytes: number;
  isRunning: boolean;
  isFull: boolean;
  /** There are more than can be kept. */
  isCut: boolean;
  /** Titles of those that the server couldn't provide. */
  failed: string[];
}

const MB = 1_000_000;
export const LIMITS = [100 * MB, 500 * MB, 2000 * MB];
/** Each run looks through the lists of so many. */
const MAX_TEXTS = 2000;
/** A server that fails at so many will not do better at the others. */
const MAX_FAILED = 20;

const NOTHING: KeepState = { kept: 0, total: 0, bytes: 0, isRunning: false, isFull: false, isCut: false, failed: [] };
export const keepState = shallowRef<KeepState>(NOTHING);

const settingsOf = (user: string) =>
  storedValue<KeepSettings>(`nexus.keep-offline.${user}`, { places: [], limit: LIMITS[1] ?? 0 });

export const readSettings = (user: string) => settingsOf(user).read();
export const writeSettings = (user: string, settings: KeepSettings) => settingsOf(user).write(settings);

export const isSameList = (a: OfflineList, b: OfflineList) => JSON.stringify(a) === JSON.stringify(b);

const filtersOf = (list: OfflineList): Filters => ("tag" in list ? { ...NO_FILTERS, tags: [list.tag] } : NO_FILTERS);

/** The newest of all lists, each once: those that can be read. */
function newestReadable(lists: Entry[][]): Entry[] {
  const readable = lists.flat().filter((entry) => entry.can_read);
  const newest = readable.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return [...new Map(newest.map((entry) => [entry.media_id, entry])).values()];
}

/** Its address is noted. */
const noted = (addresses: Set<string>) => (request: Request) => {
  addresses.add(request.url);
  return send(request);
};

/**
 * With the pages of the list itself, which the service worker keeps as it hands them on: `pages` gets their addresses.
 * One more than can be kept.
 */
async function fetchList(list: OfflineList, limit: number, pages: Set<string>): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const options = { ...keptOffline(limit), fetch: noted(pages) };
    const page: Awaited<ReturnType<typeof fetchLibrary>> = await fetchLibrary(filtersOf(list), cursor, options);
    found.push(...page.entries.filter((entry) => entry.can_read));
    cursor = page.next_cursor;
  } while (cursor && found.length <= MAX_TEXTS);
  return found;
}

/** Null: there is not even room for the lists. */
async function fetchLists(offlineLists: OfflineList[], limit: number, pages: Set<string>): Promise<Entry[][] | null> {
  const lists: Entry[][] = [];
  try {
    for (const list of offlineLists) lists.push(await fetchList(list, limit, pages));
  } catch (error) {
    if (error instanceof ApiError && error.status === NO_ROOM) return null;
    throw error;
  }
  return lists;
}

const used = async () => (await navigator.storage?.estimate?.())?.usage ?? 0;

const cacheOf = (user: string) => caches.open(PINNED_TEXTS + user);

/** With each save the pages of a list begin elsewhere, and have other addresses: those of earlier runs are of no use. */
async function forgetPages(user: string, current: Set<string>): Promise<void> {
  const cache = await cacheOf(user);
  const pages = (await cache.keys()).filter(({ url }) => new URL(url).pathname === "/api/library");
  await Promise.all(pages.filter(({ url }) => !current.has(url)).map((page) => cache.delete(page)));
}

async function keptIds(user: string): Promise<Set<string>> {
  const requests = await (await cacheOf(user)).keys();
  // As FRAGMENTS of kept-texts.ts, which is the service worker's.
  const paths = requests.map(({ url }) => new URL(url).pathname.match(/^\/media\/([0-9a-f-]{36})\/fragments$/)?.[1]);
  return new Set(paths.filter((id) => id !== undefined));
}

const REPLY_MS = 20_000;

/** Frees what no list needs any more. */
async function forget(user: string, unneeded: string[]): Promise<void> {
  const worker = unneeded.length ? navigator.serviceWorker.controller : null;
  if (!worker) return;
  const { port1, port2 } = new MessageChannel();
  const reply = new Promise<void>((resolve) => {
    port1.onmessage = () => resolve();
    setTimeout(resolve, REPLY_MS); // that of an earlier version does not know how; the next time its successor does
  });
  worker.postMessage({ user, forget: unneeded }, [port2]);
  await reply;
}

/** Through the service worker, which keeps each response and the pictures in it. The text last: then all is there. */
async function keep(mediaId: string, limit: number): Promise<void> {
  const options = keptOffline(limit);
  await Promise.all([
    fetchMedia(mediaId, options),
    fetchEntry(mediaId, options),
    fetchReadAt(mediaId, options),
    fetchHighlights(mediaId, options),
  ]);
  await fetchFragments(mediaId, null, options);
}

/** `failed`: the server fails at it, or it is gone, which is no reason to give up the others. */
async function tryToKeep(mediaId: string, limit: number): Promise<"kept" | "failed" | "full"> {
  try {
    await keep(mediaId, limit);
    return "kept";
  } catch (error) {
    if (!(error instanceof ApiError) || error.isOtherUser) throw error;
    if (error.status === NO_ROOM) return "full";
    if (error.isFault || error.status === 404 || error.status === 409) return "failed";
    throw error;
  }
}

let running: Promise<void> | null = null;
let isRequestedAgain = false;

/** Fetches what is not kept yet, until the limit, and frees what no list needs any more; one run at a time. */
export function keepAll(user: string): Promise<void> {
  isRequestedAgain = true; // the settings may have changed since the run began
  running ??= rounds(user).finally(() => {
    keepState.value = { ...keepState.value, isRunning: false };
    running = null;
    return isRequestedAgain ? keepAll(user) : undefined; // asked after its last look, and before this
  });
  return running;
}

async function rounds(user: string): Promise<void> {
  while (isRequestedAgain) {
    isRequestedAgain = false;
    await run(user);
  }
}

async function run(user: string): Promise<void> {
  const { places, limit } = readSettings(user);
  const pages = new Set<string>();
  const lists = await fetchLists(places, limit, pages);
  if (!lists) {
    keepState.value = { ...keepState.value, bytes: await used(), isFull: true };
    return;
  }
  await forgetPages(user, pages);
  const found = newestReadable(lists);
  const chosen = found.slice(0, MAX_TEXTS);
  const ids = new Set(chosen.map((entry) => entry.media_id));
  const known = await keptIds(user);
  await forget(
    user,
    [...known].filter((id) => !ids.has(id)),
  );
  const missing = chosen.filter((entry) => !known.has(entry.media_id));
  const isCut = found.length > chosen.length;
  const state: KeepState = { ...NOTHING, kept: chosen.length - missing.length, total: chosen.length, isCut };
  for (const { media_id, title } of missing) {
    state.bytes = await used();
    state.isFull = state.bytes >= limit;
    keepState.value = { ...state, isRunning: !state.isFull };
    if (state.isFull || isRequestedAgain || state.failed.length >= MAX_FAILED) return;
    const outcome = await tryToKeep(media_id, limit);
    if (outcome === "kept") state.kept += 1;
    if (outcome === "failed") state.failed = [...state.failed, title ?? texts.library.untitled];
    state.isFull = outcome === "full";
    if (state.isFull) break;
  }
  keepState.value = { ...state, bytes: await used() };
}
