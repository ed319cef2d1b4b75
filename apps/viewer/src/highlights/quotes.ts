import type { Highlight } from "@/api/highlights";

export interface Source {
  title: string;
  url: string | null;
}

const LONG_QUOTE = 300;
const EDGE_WORDS = 5;

/** As text with its source, to be pasted anywhere. */
export const asQuote = (quote: string, { title, url }: Source) =>
  `“${quote}”\n— ${[title, url].filter(Boolean).join(", ")}`;

/** What Markdown would take for its own marks. */
const plain = (line: string) =>
  line
    .replace(/[\\`*_[\]<>&~|$]/g, "\\$&")
    .replace(/^(\s*)([#+=-]|\d+(?=[.)]))/, (_, indent, mark) =>
      /\d/.test(mark) ? `${indent}${mark}\\` : `${indent}\\${mark}`,
    );

/** As Markdown: a quotation, and a link to where it is from. */
export function asMarkdown({ quote, note }: Pick<Highlight, "quote" | "note">, source: Source): string {
  const lines = quote.split("\n").map((line) => `> ${plain(line)}`);
  const title = plain(source.title);
  const url = source.url?.replace(/[<>\s]/g, encodeURIComponent);
  lines.push(">", `> — ${url ? `[${title}](<${url}>)` : title}`);
  return note ? `${lines.join("\n")}\n\n${note}` : lines.join("\n");
}

/** A hyphen has a meaning of its own in a text fragment. */
const escaped = (words: string) => encodeURIComponent(words).replace(/-/g, "%2D");

/** A link to the original that browsers open at these words; long ones, and those of several blocks, by their ends. */
export function fragmentLink(quote: string, url: string): string {
  const lines = quote.trim().split(/\s*[\n\t]\s*/);
  const [first, last] = [(lines[0] ?? "").split(" "), (lines.at(-1) ?? "").split(" ")];
  const isWhole = lines.length === 1 && (quote.length <= LONG_QUOTE || first.length <= 2 * EDGE_WORDS);
  const ends = [first.slice(0, EDGE_WORDS), last.slice(-EDGE_WORDS)].map((words) => escaped(words.join(" ")));
  const [address, fragment = ""] = url.split("#", 2) as [string, string?];
  return `${address}#${fragment.split(":~:")[0]}:~:text=${isWhole ? escaped(first.join(" ")) : ends.join(",")}`;
}
