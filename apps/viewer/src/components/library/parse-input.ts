import type { SaveRequest } from "@/api/library";
import type { Export } from "./files/recognise-export";

/** What the user typed, pasted or dropped. */
export type Input =
  | { kind: "nothing" }
  | { kind: "links"; urls: string[] }
  /** The beginning of an address and nothing else: nobody means to save that. */
  | { kind: "incomplete" }
  | { kind: "text"; text: string; url?: string }
  /** A list that another program wrote: not saved as a text without a confirmation. */
  | ({ kind: "export"; text: string } & Export);

export type Typed = Exclude<Input, { kind: "export" }>;

const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#]\S*)?$/u;
const INCOMPLETE = /^https?:\/*(?:www\.)?$/i;
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

function asUrl(word: string): string | null {
  const bare = word.replace(/^[<("']+|[>)"',;]+$/g, "");
  if (/^https?:\/\/\S+$/i.test(bare)) return URL.canParse(bare) ? bare : null;
  return HOST.test(bare) ? `https://${bare}` : null;
}

/** Only links (in any number, with or without bullets) are links; anything else is a text. */
export function parseInput(text: string): Typed {
  const trimmed = text.trim();
  if (!trimmed) return { kind: "nothing" };
  if (INCOMPLETE.test(trimmed)) return { kind: "incomplete" };
  const words = trimmed.split("\n").flatMap((line) => line.replace(BULLET, "").trim().split(/\s+/));
  const urls = words.filter(Boolean).map(asUrl);
  if (urls.every((url) => url !== null)) return { kind: "links", urls: [...new Set(urls as string[])] };
  return { kind: "text", text: trimmed };
}

export function savesOf(what: Typed): SaveRequest[] {
  if (what.kind === "links") return what.urls.map((url) => ({ url }));
  if (what.kind === "nothing" || what.kind === "incomplete") return [];
  const text = { pasted_text: what.text };
  return [what.url ? { ...text, url: what.url, prefer_pasted_text: true } : text];
}
