import { client, unwrap } from "./client";
import type { SavedSearch, Tag, TagColor } from "./types";

export const COLORS: TagColor[] = ["red", "orange", "yellow", "green", "teal", "blue", "purple", "grey"];

export const fetchTags = (): Promise<Tag[]> => unwrap(client.GET("/api/tags"));

const ofTag = (id: string) => ({ params: { path: { tag_id: id } } });

/** Onto a name that exists: both become one. */
export const changeTag = (id: string, body: { name?: string; color?: TagColor | null }) =>
  unwrap(client.PATCH("/api/tags/{tag_id}", { ...ofTag(id), body }));

export const removeTag = (id: string) => unwrap(client.DELETE("/api/tags/{tag_id}", ofTag(id)));

export const fetchSavedSearches = (): Promise<SavedSearch[]> => unwrap(client.GET("/api/saved-searches"));

export const saveSearch = (body: Pick<SavedSearch, "name" | "query" | "sort"> & { position?: number }) =>
  unwrap(client.POST("/api/saved-searches", { body }));

const ofSearch = (id: string) => ({ params: { path: { search_id: id } } });

export const renameSearch = (id: string, name: string) =>
  unwrap(client.PATCH("/api/saved-searches/{search_id}", { ...ofSearch(id), body: { name } }));

export const removeSearch = (id: string) => unwrap(client.DELETE("/api/saved-searches/{search_id}", ofSearch(id)));
