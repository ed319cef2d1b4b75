import { shallowRef } from "vue";
import { type Filters, NO_FILTERS } from "@/api/filters";
import { fetchHighlights } from "@/api/highlights";
import { fetchEntry, fetchFragments, fetchLibrary, fetchMedia, fetchReadAt } from "@/api/library";
import type { Entry } from "@/api/types";
import { storedValue } from "@/device/stored-value";

/** What is to be readable without a connection: the Inbox, or a tag. */
export type KeptPlace = { place: "inbox" } | { tag: string };

export interface KeepSettings {
  places: KeptPlace[];
  /** Of all that this browser keeps for this site. */
  limit: number;
}

export interface KeepState {
  kept: number;
  wanted: number;
  bytes: number;
  isRunning: boolean;
  isFull: boolean;
  /** There are more than can be kept. */
  isCut: boolean;
}

const MB = 1_000_000;
export const LIMITS = [100 * MB, 500 * MB, 2000 * MB];
/** As many as the service worker has room for, with their pictures. */
export const MOST_TEXTS = 300;

const NOTHING: KeepState = { kept: 0, wanted: 0, bytes: 0, isRunning: false, isFull: false, isCut: false };
export const keepState = shallowRef<KeepState>(NOTHING);

const settingsOf = (user: string) =>
  storedValue<KeepSettings>(`nexus.keep-offline.${user}`, { places: [], limit: LIMITS[1] ?? 0 });

/** Kept because a place is, not because the user opened them: these go when no place wants them any more. */
const fetchedOf = (user: string) => storedValue<string[]>(`nexus.kept-offline.${user}`, []);

export const readSettings = (user: string) => settingsOf(user).read();
export const writeSettings = (user: string, settings: KeepSettings) => settingsOf(user).write(settings);

export const isSamePlace = (a: KeptPlace, b: KeptPlace) => JSON.stringify(a) === JSON.stringify(b);

export const filtersOf = (place: KeptPlace): Filters =>
  "tag" in place ? { ...NO_FILTERS, tags: [place.tag] } : NO_FILTERS;

/** The newest of all places, each once: those that can be read. */
export function wantedOf(lists: Entry[][]): string[] {
  const readable = lists.flat().filter((entry) => entry.can_read);
  const newest = readable.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return [...new Set(newest.map((entry) => entry.media_id))];
}

/** With the pages of the list itself, which the service worker keeps as it hands them on. One more than can be kept. */
async function fetchPlace(place: KeptPlace): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fetchLibrary>> = await fetchLibrary(filtersOf(place), cursor);
    found.push(...page.entries.filter((entry) => entry.can_read));
    cursor = page.next_cursor;
  } while (cursor && found.length <= MOST_TEXTS);
  return found;
}

const used = async () => (await navigator.storage?.estimate?.())?.usage ?? 0;

async function keptIds(user: string): Promise<Set<string>> {
  const requests = await (await caches.open(`nexus-texts-${user}`)).keys();
  const paths = requests.map(({ url }) => new URL(url).pathname.match(/^\/media\/([0-9a-f-]{36})\/fragments$/)?.[1]);
  return new Set(paths.filter((id) => id !== undefined));
}

const REPLY_MS = 20_000;

/** Frees what no place wants any more. */
async function forget(user: string, wanted: string[]): Promise<void> {
  const fetched = fetchedOf(user);
  const unwanted = fetched.read().filter((id) => !wanted.includes(id));
  const worker = navigator.serviceWorker.controller;
  if (!unwanted.length || !worker) return;
  const { port1, port2 } = new MessageChannel();
  const isDone = new Promise<boolean>((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(resolve, REPLY_MS, false);
  });
  worker.postMessage({ user, forget: unwanted }, [port2]);
  if (!(await isDone)) return; // that of an earlier version does not know how; the next time its successor does
  fetched.write(fetched.read().filter((id) => !unwanted.includes(id)));
}

/** Through the service worker, which keeps each response and the pictures in it. */
async function keep(mediaId: string): Promise<void> {
  await Promise.all([fetchMedia(mediaId), fetchEntry(mediaId), fetchReadAt(mediaId), fetchHighlights(mediaId)]);
  await fetchFragments(mediaId, null);
}

let running: Promise<void> | null = null;
let isAskedAgain = false;

/** Fetches what is not kept yet, until the limit, and frees what no place wants any more; one run at a time. */
export function keepAll(user: string): Promise<void> {
  isAskedAgain = true; // the settings may have changed since the run began
  running ??= rounds(user).finally(() => {
    keepState.value = { ...keepState.value, isRunning: false };
    running = null;
  });
  return running;
}

async function rounds(user: string): Promise<void> {
  while (isAskedAgain) {
    isAskedAgain = false;
    await run(user);
  }
}

async function run(user: string): Promise<void> {
  const lists: Entry[][] = [];
  for (const place of readSettings(user).places) lists.push(await fetchPlace(place));
  const found = wantedOf(lists);
  const wanted = found.slice(0, MOST_TEXTS);
  await forget(user, wanted);
  const fetched = fetchedOf(user);
  const known = await keptIds(user);
  const missing = wanted.filter((id) => !known.has(id));
  const state = {
    ...NOTHING,
    kept: wanted.length - missing.length,
    wanted: wanted.length,
    isCut: found.length > wanted.length,
  };
  for (const id of missing) {
    const bytes = await used();
    const isFull = bytes >= readSettings(user).limit;
    keepState.value = { ...state, bytes, isRunning: !isFull, isFull };
    if (isFull || isAskedAgain) return;
    fetched.write([...fetched.read(), id]);
    await keep(id);
    state.kept += 1;
  }
  keepState.value = { ...state, bytes: await used() };
}
