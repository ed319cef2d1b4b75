import { canonicalText } from "@/canonical-text";
import { type Input, parseInput } from "../parse-input";
import { recogniseExport } from "./recognise-export";

/** As `parseInput`, and recognises exports: too slow for each key stroke. */
export function parseForSaving(text: string): Input {
  const input = parseInput(text);
  const found = input.kind === "text" ? recogniseExport(input.text) : null;
  return input.kind === "text" && found ? { kind: "export", text: input.text, ...found } : input;
}

/** A dropped file: a shortcut, an export, a saved page or plain text. */
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
  const isPage = /^<(!doctype\s+html|html|head|body)/i.test(beginning);
  const found = recogniseExport(content);
  if (found) return { kind: "export", text: content.trim(), ...found };
  if (/^<!doctype\s+netscape-bookmark-file/i.test(beginning)) {
    return { kind: "export", text: content.trim(), source: null, shape: "HTML", urls: [] };
  }
  if (isPage || extension === "html" || extension === "htm") return parsePage(content);
  return parseInput(content);
}

function parsePage(html: string): Input {
  const page = new DOMParser().parseFromString(html, "text/html");
  const declared = page.querySelector("link[rel=canonical]")?.getAttribute("href") ?? "";
  for (const element of page.querySelectorAll("nav, header, footer, aside, form")) element.remove();
  const text = canonicalText((page.querySelector("article, main") ?? page.body).innerHTML);
  if (!text) return { kind: "nothing" };
  return /^https?:/i.test(declared) ? { kind: "text", text, url: declared } : { kind: "text", text };
}
