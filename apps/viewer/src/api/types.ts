import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Status = Entry["status"];
export type Kind = Entry["kind"];
export type Hit = Schemas["Hit"];
export type TextPart = Schemas["Piece"];
export type Position = Schemas["Place"];
export type SearchPage = Schemas["SearchResults"];
export type LibraryPage = Schemas["Shelf"];
export type Receipt = Schemas["Receipt"];
export type Attempt = Schemas["Attempt"];
export type Media = Schemas["Media"] & Partial<Pick<Schemas["Episode"], "audio_url" | "chapters">>;
export type Chapter = Schemas["Chapter"];
export type Fragment = Schemas["Fragment"];
export type Me = Schemas["Me"];
export type Job = Schemas["JobRecord"];
export type JobStatus = Job["status"];
