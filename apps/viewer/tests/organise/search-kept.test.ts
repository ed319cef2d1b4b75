import { afterEach, expect, test, vi } from "vitest";
import { NO_FILTERS } from "@/api/filters";
import { searchKept } from "@/offline/search-kept";

const ID = "00000000-0000-4000-8000-000000000001";
const ORIGIN = "http://127.0.0.1";
const LIST = `${ORIGIN}/api/library`;
const entry = (title: string, tags?: string[]) => ({
  media_id: ID,
  kind: "web_article",
  status: "succeeded",
  title,
  site: null,
  note: null,
  ...(tags ? { tags } : {}),
  read_at: null,
  archived_at: null,
  created_at: "2026-01-01",
});
const fragment = (text: string) => ({ idx: 0, canonical_text: text, start_ms: null });

/** A cache of the service worker, by address. */
function cacheOf(responses: Record<string, unknown>) {
  const find = (asked: string | { url: string }) => responses[typeof asked === "string" ? ORIGIN + asked : asked.url];
  return {
    keys: async () => Object.keys(responses).map((url) => ({ url })),
    match: async (asked: string | { url: string }) => find(asked) && new Response(JSON.stringify(find(asked))),
  };
}

function keep(opened: Record<string, unknown>, pinned: Record<string, unknown>) {
  const open = async (name: string) => cacheOf(name.includes("-wanted-") ? pinned : opened);
  vi.stubGlobal("caches", { open });
}

const find = (q: string, filters = NO_FILTERS) => searchKept("ada", { ...filters, q });

afterEach(() => void vi.unstubAllGlobals());

test("a text that is kept offline is searched as it was kept, not as it was opened before", async () => {
  const text = `${ORIGIN}/media/${ID}/fragments`;
  const list = (title: string, words: string) => ({
    [LIST]: { entries: [entry(title, [])] },
    [text]: { data: [fragment(words)] },
  });
  keep(list("Before", "about lions"), list("Since", "about zebras"));
  expect(await find("zebras")).toHaveLength(1);
  expect(await find("lions")).toEqual([]);
  expect((await find("zebras"))?.[0]?.entry.title).toBe("Since");
});

test("an entry that was kept before there were tags is found, and has none", async () => {
  keep({ [LIST]: { entries: [entry("Zebras")] } }, {});
  expect((await find("zebras"))?.[0]?.entry.tags).toEqual([]);
  expect(await find("zebras", { ...NO_FILTERS, tags: ["work"] })).toEqual([]);
});
