import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SavedSearch } from "../../src/api/types";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";

const SAVED = { id: "s1", name: "Owls", query: { q: "owl" }, sort: "relevance", position: 3, count: 2 } as SavedSearch;
let api: Server;
let close = () => {};

async function openSidebar() {
  vi.resetModules();
  const [{ useSearchRemoval }, { useSavedSearches }, { useToasts }] = await Promise.all([
    import("../../src/components/library/filters/useSearchRemoval"),
    import("../../src/composables/organise/useTags"),
    import("../../src/composables/useToasts"),
  ]);
  const { result, unmount } = mount(() => ({ remove: useSearchRemoval(), ...useSavedSearches() }));
  const { toasts, act, dismissAll } = useToasts();
  close = () => {
    dismissAll();
    unmount();
  };
  const names = () => result.searches.value.map(({ name }) => name);
  await vi.waitFor(() => expect(names()).toEqual(["Owls"]));
  return { remove: result.remove, names, toasts, undo: () => toasts[0] && act(toasts[0]) };
}

beforeEach(() => {
  api = server();
  const done = (method: string) => api.changes().filter((one) => one.method === method).length;
  api.get = () => (done("DELETE") > done("POST") ? [] : [SAVED]);
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

test("a deleted search is saved again at its place by undo", async () => {
  const { remove, names, undo } = await openSidebar();
  await remove(SAVED);
  await vi.waitFor(() => expect(names()).toEqual([]));
  undo();
  await vi.waitFor(() => expect(names()).toEqual(["Owls"]));
  const { name, query, sort, position } = SAVED;
  expect(api.changes().at(-1)).toMatchObject({ path: "/api/saved-searches", body: { name, query, sort, position } });
});

test("one that could not be deleted cannot be undone, and is looked at again", async () => {
  const { remove, names, toasts } = await openSidebar();
  api.isMissing = (path) => path.endsWith("/s1"); // deleted in another window
  api.get = () => [];
  await remove(SAVED);
  expect(toasts.map(({ tone, action }) => [tone, action])).toEqual([["bad", undefined]]);
  await vi.waitFor(() => expect(names()).toEqual([]));
});

test("an undo that is refused says so", async () => {
  const { remove, toasts, undo } = await openSidebar();
  await remove(SAVED);
  api.refuse = () => true; // there is one of this name by now
  undo();
  await vi.waitFor(() => expect(toasts.map(({ message }) => message)).toEqual(["Not like this."]));
});
