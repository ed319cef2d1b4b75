import { client, expectUser, unwrap } from "./client";
import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Highlight = Schemas["Highlight"];
export type ListedHighlight = Schemas["ListedHighlight"];
export type NewHighlight = Schemas["NewHighlightBody"];
export type HighlightChanges = Schemas["HighlightChanges"];
export type HighlightColor = Highlight["color"];

const ofMedia = (mediaId: string) => ({ params: { path: { media_id: mediaId } } });
const of = (id: string) => ({ params: { path: { highlight_id: id } } });

/** `isNow`: as they are on the server; the service worker hands out no earlier ones. */
export const fetchHighlights = async (mediaId: string, isNow = false): Promise<Highlight[]> => {
  const cache = isNow ? { cache: "no-store" as const } : {};
  return (await unwrap(client.GET("/media/{media_id}/highlights", { ...ofMedia(mediaId), ...cache }))).data;
};

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
