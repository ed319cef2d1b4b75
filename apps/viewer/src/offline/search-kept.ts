import { isShown, type Search } from "@/api/filters";
import type { Entry, Fragment, Hit } from "@/api/types";
import { codePoints } from "@/positions/code-points";
import type { Span } from "@/positions/span";
import { OPENED_TEXTS, PINNED_TEXTS } from "./caches";
import { marked, type OfflineQuery, parseQuery, spansIn } from "./offline-query";

const LIST = /^\/api\/library(?:\/[0-9a-f-]{36})?$/;
const ANY = { ignoreVary: true };
const BEFORE = 70;
const LENGTH = 240;

interface OfflineTexts {
  entries: Entry[];
  textOf: (mediaId: string) => Promise<Fragment[]>;
}

async function entriesIn(cache: Cache): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const request of await cache.keys()) {
    if (!LIST.test(new URL(request.url).pathname)) continue;
    const body = await (await cache.match(request))?.json();
    const entries = ((body?.entries ?? [body]) as Entry[]).filter((entry) => entry?.media_id);
    // What an earlier version of the server sent has no tags.
    found.push(...entries.map((entry) => ({ ...entry, tags: entry.tags ?? [] })));
  }
  return found;
}

/**
 * What this browser has of a user: the entries of the lists, and the texts that were opened or are kept offline. What
 * is kept offline is renewed by itself, and also when it is opened, so it is never the older one.
 */
async function readKept(user: string): Promise<OfflineTexts> {
  const pinned = await caches.open(PINNED_TEXTS + user);
  const opened = await caches.open(OPENED_TEXTS + user);
  const entries = new Map<string, Entry>();
  for (const cache of [opened, pinned]) for (const entry of await entriesIn(cache)) entries.set(entry.media_id, entry);
  const textOf = async (mediaId: string) => {
    const path = `/media/${mediaId}/fragments`;
    const response = (await pinned.match(path, ANY)) ?? (await opened.match(path, ANY));
    return response ? ((await response.json()).data as Fragment[]) : [];
  };
  return { entries: [...entries.values()], textOf };
}

const aboutOf = (entry: Entry) => [entry.title, entry.site, entry.note, ...entry.tags].filter(Boolean).join("\n");

function snippetOf(fragments: Fragment[], texts: Span[][][]): Pick<Hit, "snippet" | "place"> {
  for (const [index, fragment] of fragments.entries()) {
    const spans = (texts[index] ?? []).flat();
    const first = spans.reduce<Span | null>((best, one) => (best && best.start <= one.start ? best : one), null);
    if (!first) continue;
    const text = fragment.canonical_text;
    const from = Math.max(0, text.lastIndexOf("\n", first.start) + 1, first.start - BEFORE);
    const to = Math.min(text.length, Math.max(from + LENGTH, first.end));
    const place = {
      fragment_idx: fragment.idx,
      offset: codePoints(text.slice(0, first.start)),
      start_ms: fragment.start_ms,
    };
    return { snippet: marked(text, spans, from, to), place };
  }
  return { snippet: [], place: null };
}

function hitOf(entry: Entry, fragments: Fragment[], query: OfflineQuery): Hit | null {
  const patterns = [...query.required, ...query.excluded];
  const about = spansIn(aboutOf(entry), patterns);
  const texts = fragments.map(({ canonical_text: text }) => spansIn(text, patterns));
  const isThere = patterns.map((_, index) => [about, ...texts].some((spans) => (spans[index]?.length ?? 0) > 0));
  const isHit = patterns.every((_, index) => isThere[index] === index < query.required.length);
  if (!isHit) return null;
  const ofRequired = texts.map((spans) => spans.slice(0, query.required.length));
  const title = spansIn(entry.title, query.required).flat();
  return { entry, title: marked(entry.title, title), ...snippetOf(fragments, ofRequired) };
}

const inTitle = (hit: Hit) => (hit.title.some((part) => part.hit) ? 1 : 0);

/**
 * What has all of the words, those with one in their title first, then the newest. Null: nothing is kept here, or only
 * the server can tell.
 */
export async function searchKept(user: string, search: Search): Promise<Hit[] | null> {
  const query = parseQuery(search.q);
  if (!query || !("caches" in window)) return null;
  const { entries, textOf } = await readKept(user);
  if (!entries.length) return null;
  const hits: Hit[] = [];
  for (const entry of entries.filter((one) => isShown(one, search))) {
    const hit = hitOf(entry, await textOf(entry.media_id), query);
    if (hit) hits.push(hit);
  }
  const isByDate = search.byDate ? 0 : 1;
  return hits.sort(
    (a, b) => isByDate * (inTitle(b) - inTitle(a)) || b.entry.created_at.localeCompare(a.entry.created_at),
  );
}
