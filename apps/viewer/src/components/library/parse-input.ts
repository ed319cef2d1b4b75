import { canonicalText } from "@/canonical-text";
import { type Export, recogniseExport } from "./files/recognise-export";

/** What the user typed, pasted or dropped. */
export type Input =
  | { kind: "nothing" }
  | { kind: "links"; urls: string[] }
  /** The beginning of an address and nothing else: nobody means to save that. */
  | { kind: "incomplete" }
  | { kind: "text"; text: string; url?: string }
  /** A list that another program wrote: not saved as a text without a confirmation. */
  | ({ kind: "export"; text: string } & Export);

const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#]\S*)?$/u;
const INCOMPLETE = /^https?:\/*(?:www\.)?$/i;
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

function asUrl(word: string): string | null {
  const bare = word.replace(/^[<("']+|[>)"',;]+$/g, "");
  if (/^https?:\/\/\S+$/i.test(bare)) return URL.canParse(bare) ? bare : null;
  return HOST.test(bare) ? `https://${bare}` : null;
}

/** As `parseInput`, and recognises exports: too slow for each key stroke. */
export function parseForSaving(text: string): Input {
  const input = parseInput(text);
  const found = input.kind === "text" ? recogniseExport(input.text) : null;
  return input.kind === "text" && found ? { kind: "export", text: input.text, ...found } : input;
}

/** Only links (in any number, with or without bullets) are links; anything else is a text. */
export function parseInput(text: string): Input {
  const trimmed = text.trim();
  if (!trimmed) return { kind: "nothing" };
  if (INCOMPLETE.test(trimmed)) return { kind: "incomplete" };
  const words = trimmed.split("\n").flatMap((line) => line.replace(BULLET, "").trim().split(/\s+/));
  const urls = words.filter(Boolean).map(asUrl);
  if (urls.every((url) => url !== null)) return { kind: "links", urls: [...new Set(urls as string[])] };
  return { kind: "text", text: trimmed };
}

/** A dropped file: a shortcut, a bookmark export, a saved page or plain text. */
export function parseFile(name: string, content: string): Input {
  const extension = name.toLowerCase().split(".").at(-1);
  if (extension === "url" || extension === "webloc") {
    const found = content.match(/(?:^URL=|<string>)(https?:[^\s<]+)/im)?.[1];
    return found ? { kind: "links", urls: [found] } : { kind: "nothing" };
  }
  const beginning = content
    .slice(0, 1024)
    .replace(/^\uFEFF/, "")
    .trimStart();
  const isPage = /^<(!doctype\s+(html|netscape)|html|head|body)/i.test(beginning);
  const found = recogniseExport(content);
  if (found) return { kind: "export", text: content.trim(), ...found };
  if (isPage || extension === "html" || extension === "htm") return parsePage(content);
  return parseInput(content);
}

function parsePage(html: string): Input {
  const page = new DOMParser().parseFromString(html, "text/html");
  if (/<!doctype\s+netscape-bookmark-file/i.test(html)) {
    const hrefs = [...page.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? "");
    const urls = hrefs.filter((href) => /^https?:/i.test(href));
    return urls.length > 0 ? { kind: "links", urls: [...new Set(urls)] } : { kind: "nothing" };
  }
  const declared = page.querySelector("link[rel=canonical]")?.getAttribute("href") ?? "";
  for (const element of page.querySelectorAll("nav, header, footer, aside, form")) element.remove();
  const text = canonicalText((page.querySelector("article, main") ?? page.body).innerHTML);
  if (!text) return { kind: "nothing" };
  return /^https?:/i.test(declared) ? { kind: "text", text, url: declared } : { kind: "text", text };
}
