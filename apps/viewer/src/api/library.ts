import { client, expectUser, unwrap } from "./client";
import { type Filters, NO_FILTERS, type Search, wireFilters } from "./filters";
import type { Entry } from "./types";

export interface SaveRequest {
  url?: string;
  pasted_text?: string;
  prefer_pasted_text?: boolean;
}

const PAGE = 50;

const sorted = ({ sort }: Filters) => (sort === NO_FILTERS.sort ? {} : { sort });

export function fetchLibrary(filters: Filters, cursor: string | null, signal?: AbortSignal, limit = PAGE) {
  const query = { limit, ...wireFilters(filters), ...sorted(filters), ...(cursor ? { cursor } : {}) };
  return unwrap(client.GET("/api/library", { params: { query }, ...(signal ? { signal } : {}) }));
}

export function fetchHits(search: Search, cursor: string | null, signal: AbortSignal) {
  const query = { ...wireFilters(search), q: search.q, ...(cursor ? { cursor } : {}) };
  return unwrap(client.GET("/api/search", { params: { query }, signal }));
}

const ofMedia = (mediaId: string) => ({ params: { path: { media_id: mediaId } } });

export const fetchReadAt = async (mediaId: string) =>
  (await unwrap(client.GET("/api/library/{media_id}/read", ofMedia(mediaId)))).read_at;

export const fetchEntry = (mediaId: string): Promise<Entry> =>
  unwrap(client.GET("/api/library/{media_id}", ofMedia(mediaId)));

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

export const fetchMedia = async (mediaId: string) =>
  (await unwrap(client.GET("/media/{media_id}", { params: { path: { media_id: mediaId } } }))).data;

/** `version` null: the current one. */
export const fetchFragments = async (mediaId: string, version: number | null) => {
  const params = { path: { media_id: mediaId }, ...(version === null ? {} : { query: { version } }) };
  return (await unwrap(client.GET("/media/{media_id}/fragments", { params }))).data;
};

export const fetchVersions = async (mediaId: string) =>
  (await unwrap(client.GET("/media/{media_id}/versions", ofMedia(mediaId)))).data;

export const fetchStats = () => unwrap(client.GET("/api/stats"));
