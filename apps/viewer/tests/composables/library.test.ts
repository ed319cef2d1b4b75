import { QueryClient, VueQueryPlugin } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type App, createApp, ref, watch } from "vue";
import { type Filters, NO_FILTERS } from "../../src/api/filters";
import { type Server, server } from "./server";

/** No other file's: a page of an earlier test may still be sending what it finds of its user in this browser. */
const USER = crypto.randomUUID();
let api: Server;
let app: App | null = null;
let entries: Record<string, unknown>[] = [];

const entry = (number: number) => ({
  media_id: `m${number}`,
  item_id: `i${number}`,
  kind: "web_article",
  status: "succeeded",
  title: `Number ${number}`,
  read_at: null,
  created_at: `2026-01-0${number}`,
});

async function openLibrary(filters: Filters = NO_FILTERS) {
  vi.resetModules();
  const [{ useLibrary, useLibraryUpdates }, { useOutbox }, { actionQueue }] = await Promise.all([
    import("../../src/composables/useLibrary"),
    import("../../src/composables/useOutbox"),
    import("../../src/device/action-queue"),
  ]);
  const outbox = useOutbox();
  outbox.setUser(USER);
  let made: { library: ReturnType<typeof useLibrary>; updates: ReturnType<typeof useLibraryUpdates> } | null = null;
  const shown = ref(filters);
  const setup = () => {
    made = { library: useLibrary(shown), updates: useLibraryUpdates() };
    return () => null;
  };
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  app = createApp({ setup });
  app.use(VueQueryPlugin, { queryClient }).mount(document.createElement("div"));
  if (!made) throw new Error("setup did not run");
  const { library, updates } = made as {
    library: ReturnType<typeof useLibrary>;
    updates: ReturnType<typeof useLibraryUpdates>;
  };
  return { shown, library, updates, outbox, actionQueue, titles: () => library.entries.value.map((one) => one.title) };
}

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.user = USER;
  entries = [entry(2), entry(1)];
  api.get = () => ({ entries, next_cursor: null, counts: { all: entries.length } });
});
afterEach(() => {
  app?.unmount();
  app = null;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a list that could not be loaded is loaded by a refresh, and replaces what was sent meanwhile", async () => {
  api.isDown = true;
  const { library, updates, outbox, titles } = await openLibrary();
  await vi.waitFor(() => expect(library.query.isError.value).toBe(true));
  api.isDown = false;
  outbox.add([{ pasted_text: "Saved meanwhile" }]);
  await vi.waitFor(() => expect(outbox.outgoing.value.map((one) => one.state)).toEqual(["sent"]));
  entries = [entry(3), ...entries];
  updates.refresh();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
  await vi.waitFor(() => expect(outbox.outgoing.value).toEqual([]));
});

test("a list that was requested before an item was sent, and has it, replaces its row", async () => {
  const { library, updates, outbox, titles } = await openLibrary();
  await vi.waitFor(() => expect(library.query.isSuccess.value).toBe(true));
  let respond = () => {};
  api.holdUntil = new Promise((resolve) => {
    respond = resolve;
  });
  outbox.add([{ pasted_text: "Saved" }]);
  await vi.waitFor(() => expect(outbox.outgoing.value.map((one) => one.state)).toEqual(["sending"]));
  entries = [{ ...entry(3), item_id: "item-1", title: "Saved" }, ...entries];
  updates.refresh();
  await vi.waitFor(() => expect(titles()).toEqual(["Saved", "Number 2", "Number 1"]));
  updates.hide("item-1"); // a deleted one is in the list until it can no longer be undone
  expect(outbox.outgoing.value.length).toBe(1);
  respond();
  await vi.waitFor(() => expect(outbox.outgoing.value).toEqual([]));
});

test("a refresh that fails is retried without an event", async () => {
  const { library, updates, titles } = await openLibrary();
  await vi.waitFor(() => expect(library.query.isSuccess.value).toBe(true));
  vi.useFakeTimers();
  api.isDown = true;
  updates.refresh();
  await vi.advanceTimersByTimeAsync(1000);
  api.isDown = false;
  entries = [entry(3), ...entries];
  await vi.advanceTimersByTimeAsync(6000);
  expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]);
});

test("many events cost one request", async () => {
  const { library, updates } = await openLibrary();
  await vi.waitFor(() => expect(library.query.isSuccess.value).toBe(true));
  const before = api.requests.length;
  vi.useFakeTimers();
  for (let number = 0; number < 20; number += 1) updates.refresh();
  await vi.advanceTimersByTimeAsync(1000);
  expect(api.requests.length - before).toBe(1);
});

test("marks that are not sent yet are shown over the server's state", async () => {
  const page = await openLibrary({ ...NO_FILTERS, unread: true });
  await vi.waitFor(() => expect(page.titles()).toEqual(["Number 2", "Number 1"]));
  api.isDown = true;
  page.actionQueue.setUser(USER);
  page.actionQueue.add({ media_id: "m2", title: "" }, { field: "read", value: true });
  page.updates.applyRead("m2", "2026-02-01");
  expect(page.titles()).toEqual(["Number 1"]);
  await vi.waitFor(() => expect(api.requests.at(-1)?.method).toBe("PATCH"));
  api.isDown = false; // the list says "unread" until the mark has arrived
  page.updates.refresh();
  await vi.waitFor(() => expect(api.requests.at(-1)?.method).toBe("GET"));
  await vi.waitFor(() => expect(page.titles()).toEqual(["Number 1"]));
});

test("a list that was requested before something was decided does not take that back", async () => {
  const page = await openLibrary();
  await vi.waitFor(() => expect(page.titles()).toEqual(["Number 2", "Number 1"]));
  page.actionQueue.setUser(USER);
  const seen: (string | null)[][] = [];
  watch(page.library.entries, () => seen.push(page.titles()), { flush: "sync" });
  let isFirst = true;
  api.get = (path) => {
    if (path !== "/api/library") return {};
    const found = isFirst ? [entry(1)] : [entry(3), entry(2), entry(1)];
    // Undone after the server has read the list, and before its response is here.
    if (isFirst) page.actionQueue.add({ media_id: "m2", title: "" }, { field: "archived", value: false });
    isFirst = false;
    return { entries: found, next_cursor: null, counts: { all: 3 } };
  };
  page.updates.refresh();
  await vi.waitFor(() => expect(page.titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
  expect(seen).not.toContainEqual(["Number 1"]);
});

test("what changes while the next page is loading stays changed", async () => {
  entries = [entry(9), entry(8), entry(7)];
  let respond = () => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  api.get = (_path, query) =>
    query.get("cursor") ? { entries: [entry(6)], next_cursor: null } : { entries, next_cursor: "below", counts: {} };
  const { library, updates, titles } = await openLibrary();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 9", "Number 8", "Number 7"]));
  api.holdReads = held;
  void library.query.fetchNextPage();
  await vi.waitFor(() => expect(api.requests.at(-1)?.query).toContain("cursor=below"));
  updates.applyRead("m9", "2026-02-01");
  updates.applyRemoved("i8");
  respond();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 9", "Number 7", "Number 6"]));
  expect(library.entries.value[0]?.read_at).toBe("2026-02-01");
});

test("a list that was requested before something was saved elsewhere is refreshed once it is there", async () => {
  let respond = () => {};
  api.holdReads = new Promise((resolve) => {
    respond = resolve;
  });
  const { updates, titles } = await openLibrary();
  await vi.waitFor(() => expect(api.requests.map(({ path }) => path)).toContain("/api/library"));
  entries = [entry(3), ...entries];
  vi.useFakeTimers();
  updates.refresh();
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  respond();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
});

test("a list that is not shown, and is to be loaded again, still is after one of its entries has changed", async () => {
  const { shown, updates, titles } = await openLibrary();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 2", "Number 1"]));
  shown.value = { ...NO_FILTERS, unread: true };
  await vi.waitFor(() => expect(api.requests.at(-1)?.query).toContain("unread"));
  await vi.waitFor(() => expect(titles()).toEqual(["Number 2", "Number 1"]));
  entries = [entry(3), ...entries];
  updates.refresh();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
  updates.applyRead("m1", "2026-02-01");
  shown.value = NO_FILTERS;
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
});

test("a list that is to be loaded again still is after that was cancelled and one of its entries had changed", async () => {
  const { shown, library, updates, titles } = await openLibrary();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 2", "Number 1"]));
  const unread = { ...NO_FILTERS, unread: true };
  shown.value = unread;
  await vi.waitFor(() => expect(api.requests.at(-1)?.query).toContain("unread"));
  await vi.waitFor(() => expect(titles()).toEqual(["Number 2", "Number 1"]));
  entries = [entry(3), ...entries];
  updates.refresh();
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
  api.holdReads = new Promise(() => {});
  shown.value = NO_FILTERS;
  await vi.waitFor(() => expect(library.query.isFetching.value).toBe(true));
  updates.applyRead("m1", "2026-02-01");
  shown.value = unread; // nobody waits for the other one any more
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2"]));
  api.holdReads = Promise.resolve();
  shown.value = NO_FILTERS;
  await vi.waitFor(() => expect(titles()).toEqual(["Number 3", "Number 2", "Number 1"]));
});
