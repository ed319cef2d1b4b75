import { LIMIT_HEADER } from "@/offline/caches";
import { client, expectUser, type send, unwrap } from "./client";
import { type Filters, NO_FILTERS, type Search, wireFilters } from "./filters";
import type { Entry } from "./types";

export interface SaveRequest {
  url?: string;
  pasted_text?: string;
  prefer_pasted_text?: boolean;
}

const PAGE = 50;

/** For the service worker: to be kept offline, within this many bytes of all that this browser keeps. */
export const keptOffline = (limit: number) => ({ headers: { [LIMIT_HEADER]: String(limit) } });
type Options = { headers?: Record<string, string>; signal?: AbortSignal; fetch?: typeof send };

const sorted = ({ sort }: Filters) => (sort === NO_FILTERS.sort ? {} : { sort });

export function fetchLibrary(filters: Filters, cursor: string | null, options: Options = {}, limit = PAGE) {
  const query = { limit, ...wireFilters(filters), ...sorted(filters), ...(cursor ? { cursor } : {}) };
  return unwrap(client.GET("/api/library", { params: { query }, ...options }));
}

export function fetchHits(search: Search, cursor: string | null, signal: AbortSignal) {
  const order = search.byDate ? { sort: "newest" as const } : {};
  const query = { ...wireFilters(search), q: search.q, ...order, ...(cursor ? { cursor } : {}) };
  return unwrap(client.GET("/api/search", { params: { query }, signal }));
}

/** What the end of what was typed may become. */
export const fetchSuggestions = async (q: string, signal: AbortSignal) =>
  (await unwrap(client.GET("/api/search/suggestions", { params: { query: { q } }, signal }))).suggestions;

const ofMedia = (mediaId: string) => ({ params: { path: { media_id: mediaId } } });

export const fetchReadAt = async (mediaId: string, options: Options = {}) =>
  (await unwrap(client.GET("/api/library/{media_id}/read", { ...ofMedia(mediaId), ...options }))).read_at;

export const fetchEntry = (mediaId: string, options: Options = {}): Promise<Entry> =>
  unwrap(client.GET("/api/library/{media_id}", { ...ofMedia(mediaId), ...options }));

/** Where the words of a search stand in a text. */
export const fetchTextHits = (mediaId: string, q: string) =>
  unwrap(client.GET("/api/library/{media_id}/hits", { params: { path: { media_id: mediaId }, query: { q } } }));

export const fetchRelated = async (mediaId: string): Promise<Entry[]> =>
  (await unwrap(client.GET("/api/library/{media_id}/related", ofMedia(mediaId)))).entries;

/** As it is on the server: the service worker hands out no earlier one. */
export const fetchEntryNow = (mediaId: string): Promise<Entry> =>
  unwrap(client.GET("/api/library/{media_id}", { ...ofMedia(mediaId), cache: "no-store" }));

/** `user`: the server refuses the request if another one is signed in by now; `key`: it saves once what has the same. */
export const save = (body: SaveRequest, user: string, key: string) =>
  unwrap(client.POST("/items", { body, headers: { ...expectUser(user).headers, "Idempotency-Key": key } }));

export const fetchReceipt = (itemId: string) =>
  unwrap(client.GET("/api/items/{item_id}/receipt", { params: { path: { item_id: itemId } } }));

export const pasteText = (itemId: string, text: string) =>
  unwrap(client.PATCH("/items/{item_id}/text", { params: { path: { item_id: itemId } }, body: { pasted_text: text } }));

export const keepText = (itemId: string) =>
  unwrap(client.POST("/items/{item_id}/keep", { params: { path: { item_id: itemId } } }));

/** `keepalive`: also when the page is being left. */
const removing = (user: string) => ({ keepalive: true, ...expectUser(user) });

export const removeItem = (itemId: string, query: { client_time?: string }, user: string) =>
  unwrap(client.DELETE("/items/{item_id}", { params: { path: { item_id: itemId }, query }, ...removing(user) }));

export const removeMedia = (mediaId: string, query: { client_time?: string }, user: string) =>
  unwrap(client.DELETE("/media/{media_id}", { params: { path: { media_id: mediaId }, query }, ...removing(user) }));

export const fetchAgain = (mediaId: string) =>
  unwrap(client.POST("/media/{media_id}/fetch-again", { params: { path: { media_id: mediaId } } }));

export const fetchMedia = async (mediaId: string, options: Options = {}) =>
  (await unwrap(client.GET("/media/{media_id}", { ...ofMedia(mediaId), ...options }))).data;

/** `version` null: the current one. */
export const fetchFragments = async (mediaId: string, version: number | null, options: Options = {}) => {
  const params = { path: { media_id: mediaId }, ...(version === null ? {} : { query: { version } }) };
  return (await unwrap(client.GET("/media/{media_id}/fragments", { params, ...options }))).data;
};

export const fetchVersions = async (mediaId: string) =>
  (await unwrap(client.GET("/media/{media_id}/versions", ofMedia(mediaId)))).data;

export const fetchStats = () => unwrap(client.GET("/api/stats"));
