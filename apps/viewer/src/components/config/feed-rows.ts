import * as texts from "@/texts";

/** One feed as it is edited: its address and its overrides. */
export interface FeedRow {
  id: number;
  url: string;
  overrides: Record<string, unknown>;
}

export type FeedEntry = string | Record<string, unknown>;

export interface FeedOption {
  key: string;
  group: "episodes" | "requests" | "retries" | "feed" | "breaker";
  type: "whole" | "number" | "switch" | "text" | "date" | "choice";
  min?: number;
  max?: number;
  choices?: string[];
}

type Bare = Omit<FeedOption, "group">;
const whole = (key: string, min = 0, max?: number): Bare => ({ key, type: "whole", min, ...(max ? { max } : {}) });
const within = (group: FeedOption["group"], ...options: Bare[]): FeedOption[] =>
  options.map((option) => ({ ...option, group }));
const DAY_SECONDS = 86_400;

/** Every key an entry may set, with the bounds the server holds it to. */
export const FEED_OPTIONS: FeedOption[] = [
  ...within(
    "episodes",
    whole("max_episodes", 1),
    { key: "episode_order", type: "choice", choices: ["newest", "oldest"] },
    whole("episode_offset"),
    { key: "episode_since", type: "date" },
    { key: "episode_until", type: "date" },
    { key: "keep_audio", type: "choice", choices: ["none", "transcribed", "all"] },
  ),
  ...within(
    "requests",
    whole("timeout", 1),
    whole("delay_ms"),
    { key: "user_agent", type: "text" },
    whole("host_request_interval_ms", 0, 600_000),
    whole("host_max_concurrent", 0, 64),
  ),
  ...within(
    "retries",
    whole("http_retry_total", 0, 20),
    { key: "http_backoff_factor", type: "number", min: 0, max: 10 },
    whole("rss_retry_total", 0, 20),
    { key: "rss_backoff_factor", type: "number", min: 0, max: 10 },
    whole("episode_retry_max", 0, 10),
    { key: "episode_retry_delay_sec", type: "number", min: 0, max: 120 },
  ),
  ...within("feed", { key: "rss_conditional_get", type: "switch" }, { key: "rss_cache_dir", type: "text" }),
  ...within(
    "breaker",
    { key: "circuit_breaker_enabled", type: "switch" },
    whole("circuit_breaker_failure_threshold", 1, 100),
    whole("circuit_breaker_window_seconds", 1, DAY_SECONDS),
    whole("circuit_breaker_cooldown_seconds", 1, DAY_SECONDS),
    { key: "circuit_breaker_scope", type: "choice", choices: ["feed", "host"] },
  ),
];

export const labelOf = (key: string) => texts.feedSettings.keys[key]?.[0] ?? key;

/** The server's message about a key, with the label shown instead of the key. */
export function inLabels(message: string, key: string): string {
  return labelOf(key) === key ? message : message.replaceAll(key, `“${labelOf(key)}”`);
}

let last = 0;

export function rowOf(entry: FeedEntry): FeedRow {
  last += 1;
  if (typeof entry === "string") return { id: last, url: entry, overrides: {} };
  const { url, rss, rss_url, ...overrides } = entry;
  return { id: last, url: String(url ?? rss ?? rss_url ?? ""), overrides };
}

export function entryOf(row: FeedRow): FeedEntry {
  const set = Object.entries(row.overrides).filter(([, value]) => value !== null && value !== "");
  return set.length > 0 ? { url: row.url.trim(), ...Object.fromEntries(set) } : row.url.trim();
}

const sameness = (url: string) => (URL.canParse(url.trim()) ? new URL(url.trim()).href : url.trim());

/** By row id: the number (from 1) of the earlier row with the same address. */
export function duplicates(rows: FeedRow[]): Map<number, number> {
  const first = new Map<string, number>();
  const found = new Map<number, number>();
  rows.forEach((row, index) => {
    const url = sameness(row.url);
    if (!url) return;
    const earlier = first.get(url);
    if (earlier === undefined) first.set(url, index + 1);
    else found.set(row.id, earlier);
  });
  return found;
}

export function addressProblem(url: string): "empty" | "address" | null {
  if (!url.trim()) return "empty";
  return /^https?:\/\//i.test(url.trim()) && URL.canParse(url.trim()) ? null : "address";
}

/** The feeds of an OPML file, in order; null when it is none. */
export function feedsOfOpml(text: string): string[] | null {
  const parsed = new DOMParser().parseFromString(text, "text/xml");
  if (parsed.querySelector("parsererror") || parsed.documentElement.nodeName.toLowerCase() !== "opml") return null;
  const addresses = [...parsed.querySelectorAll("outline")].map((outline) => outline.getAttribute("xmlUrl") ?? "");
  return [...new Set(addresses.filter((url) => /^https?:\/\//i.test(url)))];
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

export function opmlOf(urls: string[]): string {
  const outlines = urls.map((url) => `    <outline type="rss" text="${escaped(url)}" xmlUrl="${escaped(url)}"/>`);
  const head = "  <head><title>Nexus feeds</title></head>";
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<opml version="2.0">',
    head,
    "  <body>",
    ...outlines,
    "  </body>",
    "</opml>",
    "",
  ].join("\n");
}
