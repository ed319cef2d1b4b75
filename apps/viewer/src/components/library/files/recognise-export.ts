import { readCsv } from "./read-csv";

/** A list that another program wrote. `source` is its name, or null when only the shape is known. */
export interface Export {
  source: string | null;
  shape: "CSV" | "JSON" | "HTML" | "OPML";
  urls: string[];
}

type Json = unknown;
type Fields = Record<string, Json>;

// The columns that only this program's table has, in lower case.
const TABLES: [string, string[]][] = [
  ["Pocket", ["title", "url", "time_added"]],
  ["Instapaper", ["url", "title", "selection", "folder"]],
  ["Raindrop.io", ["title", "excerpt", "url", "folder", "created"]],
  ["Readwise Reader", ["title", "url", "document tags", "saved date"]],
  ["Readwise", ["highlight", "book title"]],
  ["wallabag", ["title", "url", "content", "mime type"]],
  ["Readeck", ["url", "title", "labels", "is_archived"]],
  ["Matter", ["title", "publisher", "url", "last interaction date"]],
  ["Diigo", ["title", "url", "tags", "annotations", "created_at"]],
];
const ADDRESS_COLUMNS = ["url", "link", "href", "address", "given_url"];

/** By content, never by name. Null: not such a list. */
export function recogniseExport(content: string): Export | null {
  const text = content.replace(/^\uFEFF/, "").trimStart();
  if (text.startsWith("<")) return fromMarkup(text);
  if (text.startsWith("[") || text.startsWith("{")) return fromJson(text);
  return fromTable(text);
}

const isAddress = (value: unknown): value is string => typeof value === "string" && /^https?:\/\/\S+$/i.test(value);
const addresses = (values: unknown[]) => [...new Set(values.filter(isAddress))];
const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: Json): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function fromMarkup(text: string): Export | null {
  const beginning = text.slice(0, 4096);
  if (/<opml[\s>]/i.test(beginning)) {
    const page = new DOMParser().parseFromString(text, "text/html"); // lenient: real files have raw ampersands
    const feeds = [...page.querySelectorAll("outline")].map((outline) => outline.getAttribute("xmlurl"));
    return { source: null, shape: "OPML", urls: addresses(feeds) };
  }
  const title = beginning.match(/<title>\s*(Pocket Export|Instapaper: Export)\s*<\/title>/i)?.[1];
  if (!title) return null;
  const page = new DOMParser().parseFromString(text, "text/html");
  const hrefs = [...page.querySelectorAll("li a[href]")].map((link) => link.getAttribute("href"));
  return { source: title.split(/[ :]/)[0] as string, shape: "HTML", urls: addresses(hrefs) };
}

function fromTable(text: string): Export | null {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const columns = (readCsv(firstLine)[0] ?? []).map((name) => name.toLowerCase());
  if (columns.length < 2) return null;
  const source = TABLES.find(([, typical]) => typical.every((name) => columns.includes(name)))?.[0] ?? null;
  const column = columns.findIndex((name) => ADDRESS_COLUMNS.includes(name));
  if (column < 0 && !source) return null;
  const cells =
    column < 0
      ? []
      : readCsv(text)
          .slice(1)
          .map((row) => row[column]);
  const urls = addresses(cells);
  // In a table that is not known the column must hold URLs: prose may begin with such words, too.
  if (!source && cells.filter(isAddress).length * 2 < Math.max(1, cells.length)) return null;
  return { source, shape: "CSV", urls };
}

function fromJson(text: string): Export | null {
  let data: Json;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  const found = Array.isArray(data) ? fromArray(list(data)) : isFields(data) ? fromObject(data) : null;
  return found && { source: found.source, shape: "JSON", urls: addresses(found.urls) };
}

interface Found {
  source: string | null;
  urls: unknown[];
}

function fromArray(entries: Fields[]): Found | null {
  const first = entries[0];
  if (!first) return null;
  if ("slug" in first && "savedAt" in first) return { source: "Omnivore", urls: entries.map((one) => one.url) };
  if ("is_archived" in first && "url" in first) return { source: "wallabag", urls: entries.map((one) => one.url) };
  if ("href" in first && "toread" in first) return { source: "Pinboard", urls: entries.map((one) => one.href) };
  const urls = entries.map((one) => one.url ?? one.href ?? one.link);
  return urls.some(isAddress) ? { source: null, urls } : null;
}

function fromObject(data: Fields): Found | null {
  const bookmarks = list(data.bookmarks);
  const contents = bookmarks.map((one) => one.content).filter(isFields);
  if (contents.length > 0) return { source: "Karakeep", urls: contents.map((one) => one.url) };
  if (bookmarks.some((one) => "article__url" in one)) {
    return { source: "Readability", urls: bookmarks.map((one) => one.article__url) };
  }
  const collections = list(data.collections);
  if (collections.some((one) => Array.isArray(one.links))) {
    return { source: "Linkwarden", urls: collections.flatMap((one) => list(one.links)).map((one) => one.url) };
  }
  const roots = isFields(data.roots) ? data.roots : null;
  if (roots && "bookmark_bar" in roots) return { source: "Chrome", urls: Object.values(roots).flatMap(inTree) };
  if ("typeCode" in data && "children" in data) return { source: "Firefox", urls: inTree(data) };
  const items = list(data.items);
  if (items.some((one) => "alternate" in one)) {
    return { source: "a feed reader", urls: items.flatMap((one) => list(one.alternate)).map((one) => one.href) };
  }
  const embedded = isFields(data._embedded) ? list(data._embedded.items) : [];
  if (embedded.length > 0) return { source: "wallabag", urls: embedded.map((one) => one.url) };
  const others = Object.values(data).flatMap(list);
  const urls = others.map((one) => one.url ?? one.href ?? one.link);
  return urls.some(isAddress) ? { source: null, urls } : null;
}

function inTree(node: Json): unknown[] {
  if (!isFields(node)) return [];
  return [node.url ?? node.uri, ...list(node.children).flatMap(inTree)];
}
