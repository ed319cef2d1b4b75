import { shallowRef } from "vue";
import { type Filters, NO_FILTERS } from "@/api/filters";
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
}

const MB = 1_000_000;
export const LIMITS = [100 * MB, 500 * MB, 2000 * MB];
/** As many as the service worker has room for, with their pictures. */
export const MOST_TEXTS = 300;

export const keepState = shallowRef<KeepState>({ kept: 0, wanted: 0, bytes: 0, isRunning: false, isFull: false });

const settingsOf = (user: string) =>
  storedValue<KeepSettings>(`nexus.keep-offline.${user}`, { places: [], limit: LIMITS[1] ?? 0 });

export const readSettings = (user: string) => settingsOf(user).read();
export const writeSettings = (user: string, settings: KeepSettings) => settingsOf(user).write(settings);

export const isSamePlace = (a: KeptPlace, b: KeptPlace) => JSON.stringify(a) === JSON.stringify(b);

export const filtersOf = (place: KeptPlace): Filters =>
  "tag" in place ? { ...NO_FILTERS, tags: [place.tag] } : NO_FILTERS;

/** The newest of all places, each once: those that can be read. */
export function wantedOf(lists: Entry[][]): string[] {
  const readable = lists.flat().filter((entry) => entry.can_read);
  const newest = readable.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return [...new Set(newest.map((entry) => entry.media_id))].slice(0, MOST_TEXTS);
}

/** With the pages of the list itself, which the service worker keeps as it hands them on. */
async function fetchPlace(place: KeptPlace): Promise<Entry[]> {
  const found: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fetchLibrary>> = await fetchLibrary(filtersOf(place), cursor);
    found.push(...page.entries);
    cursor = page.next_cursor;
  } while (cursor && found.length < MOST_TEXTS);
  return found;
}

const used = async () => (await navigator.storage?.estimate?.())?.usage ?? 0;

async function keptIds(user: string): Promise<Set<string>> {
  const requests = await (await caches.open(`nexus-texts-${user}`)).keys();
  const paths = requests.map(({ url }) => new URL(url).pathname.match(/^\/media\/([0-9a-f-]{36})\/fragments$/)?.[1]);
  return new Set(paths.filter((id) => id !== undefined));
}

/** Through the service worker, which keeps each response and the pictures in it. */
async function keep(mediaId: string): Promise<void> {
  await Promise.all([fetchMedia(mediaId), fetchEntry(mediaId), fetchReadAt(mediaId)]);
  await fetchFragments(mediaId, null);
}

let running: Promise<void> | null = null;

/** Fetches what is not kept yet, until the limit; one run at a time. */
export function keepAll(user: string): Promise<void> {
  running ??= run(user).finally(() => {
    keepState.value = { ...keepState.value, isRunning: false };
    running = null;
  });
  return running;
}

async function run(user: string): Promise<void> {
  const lists: Entry[][] = [];
  for (const place of readSettings(user).places) lists.push(await fetchPlace(place));
  const wanted = wantedOf(lists);
  const known = await keptIds(user);
  let kept = wanted.filter((id) => known.has(id)).length;
  for (const id of wanted.filter((one) => !known.has(one))) {
    const bytes = await used();
    const isFull = bytes >= readSettings(user).limit;
    keepState.value = { kept, wanted: wanted.length, bytes, isRunning: !isFull, isFull };
    if (isFull) return;
    await keep(id);
    kept += 1;
  }
  keepState.value = { kept, wanted: wanted.length, bytes: await used(), isRunning: false, isFull: false };
}
