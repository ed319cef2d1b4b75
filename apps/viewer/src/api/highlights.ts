import { client, expectUser, unwrap } from "./client";
import { type DownloadedFile, nameIn } from "./downloads";
import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Highlight = Schemas["Highlight"];
export type ListedHighlight = Schemas["ListedHighlight"];
type NewHighlight = Schemas["NewHighlightBody"];
type HighlightChanges = Schemas["HighlightChanges"];
export type HighlightColor = Highlight["color"];
export type HighlightPage = Schemas["HighlightPage"];
export type Review = Schemas["Review"];
type HighlightFeed = Schemas["Feed"];

export type FileFormat = "markdown" | "readwise" | "json" | "text";
export const HIGHLIGHT_SORTS = ["newest", "text"] as const;

export interface HighlightFilters {
  q: string;
  color: HighlightColor | null;
  /** All of them; a tag includes those below it. */
  tags: string[];
}
export interface HighlightSearch extends HighlightFilters {
  sort: (typeof HIGHLIGHT_SORTS)[number];
}

const ofMedia = (mediaId: string) => ({ params: { path: { media_id: mediaId } } });
const of = (id: string) => ({ params: { path: { highlight_id: id } } });

/** As they are on the server: the service worker hands out no earlier ones. */
export const NOW = { cache: "no-store" } as const;

export const fetchHighlights = async (
  mediaId: string,
  options: { cache?: RequestCache; headers?: Record<string, string> } = {},
): Promise<Highlight[]> =>
  (await unwrap(client.GET("/media/{media_id}/highlights", { ...ofMedia(mediaId), ...options }))).data;

export const createHighlight = (mediaId: string, body: NewHighlight, user: string) =>
  unwrap(client.POST("/media/{media_id}/highlights", { ...ofMedia(mediaId), body, ...expectUser(user) }));

export const changeHighlight = (id: string, body: HighlightChanges, user: string) =>
  unwrap(client.PATCH("/highlights/{highlight_id}", { ...of(id), body, ...expectUser(user) }));

export const deleteHighlight = (id: string, query: { client_time?: string }, user: string) =>
  unwrap(
    client.DELETE("/highlights/{highlight_id}", { params: { path: { highlight_id: id }, query }, ...expectUser(user) }),
  );

export const restoreHighlight = (id: string, user: string) =>
  unwrap(client.POST("/highlights/{highlight_id}/restore", { ...of(id), ...expectUser(user) }));

const PAGE = 100;

/** As the API names them; what is not asked for is left out. */
const wireFilters = ({ q, color, tags }: HighlightFilters) => ({
  ...(q.trim() ? { q } : {}),
  ...(color ? { color } : {}),
  ...(tags.length ? { tag: tags } : {}),
});

export async function fetchAllHighlights(
  { sort, ...filters }: HighlightSearch,
  cursor: string | null,
  signal: AbortSignal,
): Promise<HighlightPage> {
  const query = { ...wireFilters(filters), sort, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
  return (await unwrap(client.GET("/highlights", { params: { query }, signal }))).data;
}

/** Those of one text, or all that the filters mean. */
export async function exportHighlights(
  which: { mediaId: string } | HighlightFilters,
  format: FileFormat,
): Promise<DownloadedFile> {
  const wanted = "mediaId" in which ? { media_id: which.mediaId } : wireFilters(which);
  const result = client.GET("/highlights/export", { params: { query: { format, ...wanted } }, parseAs: "blob" });
  const { response } = await result;
  const content = (await unwrap(result)) as unknown as Blob;
  return { content, name: nameIn(response.headers.get("content-disposition"), format) };
}

/** `day`: as the user's clock has it, "2026-11-16". */
export const fetchReview = async (day: string): Promise<Review> =>
  (await unwrap(client.GET("/highlights/review", { params: { query: { day } } }))).data;

export const markSeen = async (id: string): Promise<Highlight> =>
  (await unwrap(client.POST("/highlights/{highlight_id}/seen", of(id)))).data;

export const fetchFeed = async (): Promise<HighlightFeed | null> => (await unwrap(client.GET("/highlights/feed"))).data;

/** The address is in this answer and in no later one. */
export const openFeed = async (): Promise<string> => (await unwrap(client.POST("/highlights/feed"))).data.url;

export const closeFeed = () => unwrap(client.DELETE("/highlights/feed"));
