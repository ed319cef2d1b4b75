import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type App, createApp, ref } from "vue";
import { type Filters, NO_FILTERS } from "../../src/api/filters";
import { respond, type Server, server } from "./server";

/** No other file's: a page of an earlier test may still be sending what it finds of its user in this browser. */
const USER = crypto.randomUUID();
let api: Server;
let app: App | null = null;

const entry = (number: number) => ({
  media_id: `m${number}`,
  item_id: `i${number}`,
  kind: "web_article",
  status: "succeeded",
  title: `Zebra ${number}`,
  site: null,
  note: null,
  tags: [],
  read_at: null,
  created_at: `2026-01-0${number}`,
});

const hit = (number: number) => ({ entry: entry(number), title: [], snippet: [], place: null });

/** What this browser keeps: a list of two entries. */
function keepEntries() {
  const list = "http://127.0.0.1/api/library";
  const kept = {
    keys: async () => [{ url: list }],
    match: async (asked: { url?: string }) =>
      asked.url === list ? respond(200, { entries: [entry(1), entry(2)] }) : undefined,
  };
  vi.stubGlobal("caches", { open: async () => kept });
}

async function openSearch(filters: Filters = NO_FILTERS) {
  vi.resetModules();
  const [{ useSearch }, { setDeviceUser }, { actionQueue }] = await Promise.all([
    import("../../src/composables/useLibrary"),
    import("../../src/device/user"),
    import("../../src/device/action-queue"),
  ]);
  setDeviceUser(USER);
  actionQueue.setUser(USER);
  const found: ReturnType<typeof useSearch>[] = [];
  const setup = () => {
    found.push(useSearch(ref({ ...filters, q: "zebra" })));
    return () => null;
  };
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  app = createApp({ setup });
  app.use(VueQueryPlugin, { queryClient }).mount(document.createElement("div"));
  const [search] = found;
  if (!search) throw new Error("setup did not run");
  return { ...search, actionQueue, titles: () => search.hits.value.map((one) => one.entry.title) };
}

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.user = USER;
  keepEntries();
  const index = { state: "ready", done: 2, total: 2 };
  const page = { total: 2, total_is_about: false, corrected: {}, facets: null, index, next_cursor: "next" };
  api.get = () => ({ ...page, hits: [hit(2)] });
});
afterEach(() => {
  app?.unmount();
  app = null;
  vi.unstubAllGlobals();
});

test("without a connection the first page is of what is kept here", async () => {
  api.isDown = true;
  const { titles } = await openSearch();
  await vi.waitFor(() => expect(titles()).toEqual(["Zebra 2", "Zebra 1"]));
});

test("a next page that cannot be loaded fails, and appends nothing of what is kept here", async () => {
  const { query, titles } = await openSearch();
  await vi.waitFor(() => expect(titles()).toEqual(["Zebra 2"]));
  api.isDown = true;
  await query.fetchNextPage();
  expect(query.isFetchNextPageError.value).toBe(true);
  expect(titles()).toEqual(["Zebra 2"]);
});

test("results that were requested before something was marked as read do not show it as unread", async () => {
  const found = api.get;
  let respond = () => {};
  api.holdReads = new Promise((resolve) => {
    respond = resolve;
  });
  let requested = 0;
  api.get = (path, query) => {
    if (path !== "/api/search") return {};
    requested += 1;
    const page = found(path, query) as object;
    return requested === 1 ? page : { ...page, hits: [] };
  };
  const { query, actionQueue, titles } = await openSearch({ ...NO_FILTERS, unread: true });
  await vi.waitFor(() => expect(requested).toBe(1));
  actionQueue.add({ media_id: "m2", title: "" }, { field: "read", value: true });
  await vi.waitFor(() => expect(actionQueue.has("m2")).toBe(false)); // sent: only the server knows of it now
  respond();
  await vi.waitFor(() => expect(query.isSuccess.value).toBe(true));
  expect([requested, titles()]).toEqual([2, []]);
});
