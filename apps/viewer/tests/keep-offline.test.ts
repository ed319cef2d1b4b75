import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { watch } from "vue";
import { ADA, type Server, server } from "./composables/server";

let api: Server;
let offline: typeof import("../src/offline/keep-offline");
const entries = ["m1", "m2", "m3"].map((media_id) => ({
  media_id,
  title: `Title of ${media_id}`,
  can_read: true,
  created_at: "2026-01-01T00:00:00Z",
}));

beforeAll(async () => {
  vi.resetModules();
  server(); // the client takes its Request when it is loaded
  offline = await import("../src/offline/keep-offline");
});
beforeEach(() => {
  localStorage.clear();
  api = server();
  api.get = (path) => (path === "/api/library" ? { entries, next_cursor: null } : { data: {} });
  vi.stubGlobal("caches", { open: async () => ({ keys: async () => [] }) }); // nothing is kept yet
});
afterEach(() => vi.unstubAllGlobals());

/** With the Inbox as the only list. */
function keepInbox(): Promise<void> {
  offline.writeSettings(ADA, { places: [{ place: "inbox" }], limit: 1000 });
  return offline.keepAll(ADA);
}
const asked = () =>
  api.requests.filter(({ path }) => path.endsWith("/fragments")).map(({ path }) => path.split("/")[2]);

test("where the service worker has no room it ends, and says so", async () => {
  api.fails = (path) => path === "/media/m2/fragments";
  api.fault = 507;
  await keepInbox();
  expect(asked()).toEqual(["m1", "m2"]);
  expect(offline.keepState.value).toMatchObject({ kept: 1, total: 3, failed: [], isFull: true, isRunning: false });
  api.fails = (path) => path === "/api/library";
  await keepInbox();
  expect(offline.keepState.value).toMatchObject({ isFull: true, isRunning: false });
});

test("one that the server fails at does not keep the others from being kept, and is told", async () => {
  api.fails = (path) => path === "/media/m2/fragments";
  await keepInbox();
  expect(asked()).toEqual(["m1", "m2", "m3"]);
  expect(offline.keepState.value).toMatchObject({ kept: 2, total: 3, failed: ["Title of m2"], isRunning: false });
});

test("without a connection it ends, and tells why", async () => {
  api.get = (path) => {
    if (path === "/api/library") return { entries, next_cursor: null };
    throw new TypeError("Failed to fetch");
  };
  await expect(keepInbox()).rejects.toThrow();
  expect(offline.keepState.value).toMatchObject({ kept: 0, failed: [], isRunning: false });
});

test("pages of lists that an earlier run kept go once the lists are there anew", async () => {
  const address = (query: string) => `http://127.0.0.1/api/library?${query}`;
  const kept = new Set([address("limit=50&in=inbox&cursor=old"), "http://127.0.0.1/api/tags"]);
  const cache = {
    keys: async () => [...kept].map((url) => new Request(url)),
    delete: async ({ url }: Request) => kept.delete(url),
  };
  vi.stubGlobal("caches", { open: async () => cache });
  api.get = (path, query) => {
    if (path !== "/api/library") return { data: {} };
    kept.add(address(query.toString())); // which the service worker does
    return query.has("cursor") ? { entries: [], next_cursor: null } : { entries, next_cursor: "new" };
  };
  await keepInbox();
  const cursors = [...kept].map((url) => [new URL(url).pathname, new URL(url).searchParams.get("cursor")]);
  expect(cursors).toEqual([
    ["/api/tags", null],
    ["/api/library", null],
    ["/api/library", "new"],
  ]);
  kept.add(address("limit=50&cursor=other"));
  api.fails = (path) => path === "/api/library";
  await expect(keepInbox()).rejects.toThrow(); // what is there stays
  expect(kept).toContain(address("limit=50&cursor=other"));
});

test("a list that is added in the moment in which a run ends is looked through at once", async () => {
  api.get = (path) => {
    if (path === "/media/m3/fragments") throw new TypeError("Failed to fetch");
    return path === "/api/library" ? { entries, next_cursor: null } : { data: {} };
  };
  // A run that fails says only once that it has ended: when it looks no more whether there is something new.
  const stop = watch(
    offline.keepState,
    ({ isRunning }) => {
      if (isRunning) return;
      stop();
      offline.writeSettings(ADA, { places: [{ tag: "later" }], limit: 1000 });
      void offline.keepAll(ADA);
    },
    { flush: "sync" },
  );
  await expect(keepInbox()).rejects.toThrow();
  const lists = api.requests.filter(({ path }) => path === "/api/library").map(({ query }) => query);
  expect(lists).toHaveLength(2);
  expect(lists[1]).toContain("tag=later");
});
