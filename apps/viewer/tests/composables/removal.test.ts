import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onScopeDispose, ref } from "vue";
import { NO_FILTERS } from "../../src/api/filters";
import { mount } from "./mount";
import { ADA, type Server, server } from "./server";

let api: Server;
let unmount = () => {};

async function openLibrary() {
  vi.resetModules();
  const [{ useActionQueue }, { useLibrary }, { startRemovals, useRemoval }, { startToasts, useToasts }] =
    await Promise.all([
      import("../../src/composables/organise/useActionQueue"),
      import("../../src/composables/useLibrary"),
      import("../../src/composables/useRemoval"),
      import("../../src/composables/useToasts"),
    ]);
  const mounted = mount(() => {
    onScopeDispose(startToasts());
    onScopeDispose(startRemovals());
    const actions = useActionQueue();
    actions.setUser(ADA);
    return { actions, library: useLibrary(ref(NO_FILTERS)), remove: useRemoval(), ...useToasts() };
  });
  unmount = mounted.unmount;
  const { library, ...rest } = mounted.result;
  const titles = () => library.entries.value.map((entry) => entry.title);
  await vi.waitFor(() => expect(titles()).toEqual(["An article", "An episode"]));
  return { titles, counts: library.counts, ...rest };
}

const deletions = () => api.changes().map(({ method, path }) => `${method} ${path}`);

beforeEach(() => {
  localStorage.clear();
  api = server();
  const entry = { status: "succeeded", read_at: null, created_at: "2026-01-01" };
  const entries = [
    { ...entry, media_id: "m1", item_id: "i1", title: "An article" },
    { ...entry, media_id: "m2", item_id: null, title: "An episode" },
  ];
  api.get = () => ({ entries, next_cursor: null, counts: { all: entries.length } });
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

test("what is deleted is hidden at once and deleted when the notice is gone", async () => {
  const { titles, remove, toasts, dismiss } = await openLibrary();
  remove({ itemId: null, mediaId: "m2" }, "An episode");
  expect([titles(), deletions()]).toEqual([["An article"], []]);
  dismiss(toasts[0]?.id ?? 0);
  await vi.waitFor(() => expect(deletions()).toEqual(["DELETE /media/m2"]));
});

test("what is deleted as the page is left has its time, also when it is sent again", async () => {
  localStorage.setItem("nexus.user", JSON.stringify(ADA));
  const { remove } = await openLibrary();
  api.breaksOff = true; // or the page was gone before the response
  remove({ itemId: "i1", mediaId: "m1" }, "An article");
  window.dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(deletions()).toEqual(["DELETE /items/i1", "DELETE /items/i1"]));
  for (const { query } of api.changes()) expect(query).toMatch(/^client_time=20/);
  window.dispatchEvent(new Event("pageshow"));
});

test("undo shows it again and deletes nothing", async () => {
  const { titles, remove, toasts, act, dismissAll } = await openLibrary();
  remove({ itemId: "i1", mediaId: "m1" }, "An article");
  const [toast] = toasts;
  if (toast) act(toast);
  dismissAll();
  expect([titles(), deletions()]).toEqual([["An article", "An episode"], []]);
});

test("what is deleted twice has one notice, and its undo counts", async () => {
  const { titles, remove, toasts, act, dismissAll } = await openLibrary();
  remove({ itemId: "i1", mediaId: "m1" }, "An article");
  remove({ itemId: "i1", mediaId: "m1" }, "An article");
  remove({ itemId: null, mediaId: "m1" }, "An article"); // from a page that does not know its item
  expect(toasts).toHaveLength(1);
  if (toasts[0]) act(toasts[0]);
  dismissAll();
  expect([titles(), deletions()]).toEqual([["An article", "An episode"], []]);
});

test("a deletion that the server refuses shows it again and says so", async () => {
  const { titles, remove, toasts, dismiss } = await openLibrary();
  api.refuse = () => true;
  remove({ itemId: "i1", mediaId: "m1" }, "An article");
  dismiss(toasts[0]?.id ?? 0);
  await vi.waitFor(() => expect(titles()).toEqual(["An article", "An episode"]));
  expect(toasts.map((toast) => [toast.tone, toast.message.includes("Not like this.")])).toEqual([["bad", true]]);
});

test("what is deleted elsewhere leaves the list at once, and is no longer counted", async () => {
  const { titles, counts, actions } = await openLibrary();
  expect(counts.value).toEqual({ all: 2 });
  const [, episode] = (api.get("", new URLSearchParams()) as { entries: unknown[] }).entries;
  api.get = () => ({ entries: [episode], next_cursor: null, counts: { all: 1 } });
  actions.onRemoved("i1");
  expect(titles()).toEqual(["An episode"]);
  await vi.waitFor(() => expect(counts.value).toEqual({ all: 1 }));
});
