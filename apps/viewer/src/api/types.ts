import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Status = Entry["status"];
export type Kind = Entry["kind"];
export type Hit = Schemas["Hit"];
export type TextPart = Schemas["TextPart"];
export type Location = Schemas["Location"];
/** `isFromBrowser`: found without a connection, in what this browser keeps. */
export type SearchPage = Schemas["SearchResults"] & { isFromBrowser?: true };
export type TextHit = Schemas["TextHit"];
export type SearchSuggestion = Schemas["Suggestion"];
export type Facets = Schemas["Facets"];
export type LibraryPage = Schemas["LibraryPage"];
export type Receipt = Schemas["Receipt"];
export type Attempt = Schemas["Attempt"];
export type Media = Schemas["Media"] & Partial<Pick<Schemas["Episode"], "audio" | "audio_url" | "chapters">>;
export type Audio = Schemas["Audio"];
export type Chapter = Schemas["Chapter"];
export type Fragment = Schemas["Fragment"];
export type Me = Schemas["Me"];
export type Job = Schemas["JobRecord"];
export type JobStatus = Job["status"];
export type StoreState = Schemas["StoreBody"];
export type Tag = Schemas["Tag"];
export type SavedSearch = Schemas["SavedSearch"];
export type TagColor = NonNullable<Tag["color"]>;
