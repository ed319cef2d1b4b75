// The rules of docs/reference/canonical-text.md on a browser's own tree; tests/ runs the vectors Python runs.
const names = (text: string) => new Set(text.split(" "));
const BLOCKS = names(
  "P BLOCKQUOTE PRE UL OL LI H1 H2 H3 H4 H5 H6 TABLE THEAD TBODY TFOOT CAPTION DL DT DD FIGURE FIGCAPTION " +
    "DIV SECTION ARTICLE HEADER FOOTER ASIDE HR BR",
);
const IGNORED = names("SCRIPT STYLE NOSCRIPT TEMPLATE");
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const DROPPED = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
const WHITE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/** On an element that the viewer added to a text: it is no part of it. */
export const ADDED = "data-added";

/** A run of words, which part of a text node they are, and where they begin in the whole text before it is composed. */
export interface TextRun {
  node: Text;
  from: number;
  to: number;
  words: string;
  at: number;
}

/** Collects words; the separator before a word is decided when the word comes. */
class Writer {
  private readonly parts: string[] = [];
  private readonly rows: number[] = [];
  /** The text each line begins in. */
  readonly lines: Node[] = [];
  readonly runs: TextRun[] = [];
  private length = 0;
  private newline = false;
  private tabs = 0;
  private space = false;

  write(node: Text, from: number, to: number): void {
    const text = node.data.slice(from, to).replace(DROPPED, "").replace(WHITE, " ");
    const word = text.replace(/^ | $/g, "");
    if (word === "") {
      this.space ||= text !== "";
      return;
    }
    this.space ||= text.startsWith(" ");
    if (this.parts.length > 0) this.push(this.separator());
    if (this.lines.length === 0 || this.newline) this.lines.push(node);
    this.runs.push({ node, from, to, words: word, at: this.length });
    this.push(word);
    this.newline = false;
    this.tabs = 0;
    this.space = text.endsWith(" ");
  }

  private push(part: string): void {
    this.parts.push(part);
    this.length += part.length;
  }

  private separator(): string {
    if (this.newline) return "\n";
    if (this.tabs > 0) return "\t".repeat(this.tabs);
    return this.space ? " " : "";
  }

  endLine(): void {
    if (this.tabs === 0) this.newline = true;
  }

  startRow(): void {
    this.breakRow();
    this.rows.push(this.parts.length);
  }

  endRow(): void {
    this.breakRow();
    this.rows.pop();
  }

  private breakRow(): void {
    this.newline = true;
    this.tabs = 0;
  }

  startCell(): void {
    const row = this.rows.at(-1);
    if (row === undefined || this.parts.length <= row) return;
    this.newline = false;
    this.tabs += 1;
  }

  /** As it is written: a letter and its accents may be several characters. */
  raw(): string {
    return this.parts.join("");
  }

  text(): string {
    return this.raw().normalize("NFC");
  }
}

function writeText(node: Text, inPre: boolean, writer: Writer): void {
  let from = 0;
  for (const { index, 0: lineEnd } of inPre ? node.data.matchAll(/\r\n|\r|\n/g) : []) {
    writer.write(node, from, index);
    writer.endLine();
    from = index + lineEnd.length;
  }
  writer.write(node, from, node.data.length);
}

/** Where each unit of a run's words stands in its text node. */
export function nodeOffsets({ node, from, to }: TextRun): number[] {
  const offsets: number[] = [];
  let space = -1;
  for (let index = from; index < to; index += 1) {
    const unit = node.data[index] as string;
    if (unit.search(DROPPED) === 0) continue;
    if (unit.search(WHITE) === 0) {
      if (offsets.length > 0 && space < 0) space = index;
      continue;
    }
    if (space >= 0) offsets.push(space);
    space = -1;
    offsets.push(index);
  }
  return offsets;
}

function visit(node: Node, inPre: boolean, writer: Writer): void {
  if (node.nodeType === Node.TEXT_NODE) {
    writeText(node as Text, inPre, writer);
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const tag = (node as Element).tagName;
  if (IGNORED.has(tag) || (node as Element).hasAttribute(ADDED)) return;
  if (BLOCKS.has(tag)) writer.endLine();
  if (tag === "TR") writer.startRow();
  if (tag === "TD" || tag === "TH") writer.startCell();
  for (const child of node.childNodes) visit(child, inPre || tag === "PRE", writer);
  if (BLOCKS.has(tag)) writer.endLine();
  if (tag === "TR") writer.endRow();
}

/** The text people quote: a pure function of the sanitized HTML, the same here and on the server. */
export function canonicalText(html: string): string {
  const parsed = new DOMParser().parseFromString("<!doctype html><body><div></div>", "text/html");
  const container = parsed.body.firstElementChild as HTMLElement;
  container.innerHTML = html;
  const writer = new Writer();
  for (const child of container.childNodes) visit(child, false, writer);
  return writer.text();
}

/** The same text of a page that is shown, before it is composed, with the text nodes that its words stand in. */
export function textRunsOf(root: Node): { raw: string; runs: TextRun[] } {
  const writer = new Writer();
  for (const child of root.childNodes) visit(child, false, writer);
  return { raw: writer.raw(), runs: writer.runs };
}

/** For an offset in the canonical text, in code points: the text node of its line, as it is shown. */
export function lineAt(root: Node, canonical: string, offset: number): Node | null {
  let [line, seen] = [0, 0];
  for (const character of canonical) {
    if (seen++ === offset) break;
    if (character === "\n") line += 1;
  }
  const writer = new Writer();
  for (const child of root.childNodes) visit(child, false, writer);
  return writer.lines[line] ?? null;
}
