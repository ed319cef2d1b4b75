import { client, expectUser, unwrap } from "./client";
import type { components } from "./openapi";

export type ServerPosition = components["schemas"]["Position"];
export type NewPosition = components["schemas"]["NewPosition"];

const of = (mediaId: string) => ({ params: { path: { media_id: mediaId } } });

export const fetchPosition = (mediaId: string) => unwrap(client.GET("/api/library/{media_id}/position", of(mediaId)));

/** `keepalive`: also when the page is being left. */
export const putPosition = (mediaId: string, body: NewPosition, user: string) =>
  unwrap(
    client.PUT("/api/library/{media_id}/position", { ...of(mediaId), body, ...expectUser(user), keepalive: true }),
  );
