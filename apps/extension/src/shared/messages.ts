import type { LookupResult, PairingOffer, Saved } from "./types";

/** What the popup and the options page ask of the background script, which goes on when they are closed. */
export interface Requests {
  save: { request: { tabId: number; itemId: string | null }; response: SaveResult };
  describe: { request: Description; response: null };
  lookup: { request: { url: string }; response: LookupResult | null };
  tags: { request: Record<string, never>; response: string[] };
  waiting: { request: Record<string, never>; response: Waiting[] };
  discard: { request: { key: string }; response: null };
  retry: { request: { key: string }; response: null };
  pair: { request: PairingOffer; response: null };
}

/** `key` of what may still be in the outbox, `mediaId` of what the server has, if it is known. */
interface Description {
  key: string | null;
  url: string;
  mediaId: string | null;
  tags: string[];
  note: string;
}

export interface SaveResult {
  key: string;
  state: "saved" | "reading" | "queued" | "refused";
  message: string;
  saved: Saved | null;
}

export interface Waiting {
  key: string;
  url: string;
  title: string;
  problem: string | null;
}

export type Message = { [Kind in keyof Requests]: { kind: Kind } & Requests[Kind]["request"] }[keyof Requests];
export type Answer<T> = { value: T } | { error: string };

export async function ask<Kind extends keyof Requests>(
  kind: Kind,
  request: Requests[Kind]["request"],
): Promise<Requests[Kind]["response"]> {
  const answer: Answer<Requests[Kind]["response"]> = await chrome.runtime.sendMessage({ kind, ...request });
  if ("error" in answer) throw new Error(answer.error);
  return answer.value;
}
