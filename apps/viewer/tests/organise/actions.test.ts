import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import { NO_FILTERS } from "../../src/api/filters";
import type { Entry } from "../../src/api/types";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";

/** No other file's: what an earlier test has left to send is not this user's. */
const USER = crypto.randomUUID();
let api: Server;
let close = async () => {};
let listed: Entry[] = [];

const entry = (number: number, facts: Partial<Entry> = {}) =>
  ({
    media_id: `m${number}`,
    item_id: `i${number}`,
    kind: "web_article",
    status: "succeeded",
    title: `Number ${number}`,
    own_title: null,
    note: null,
    tags: [],
    read_at: null,
    archived_at: null,
    starred_at: null,
    can_read: true,
    created_at: `2026-01-0${number}`,
    ...facts,
  }) as Entry;

/** The list of everything, and what can be done with its entries. */
async function openList(...entries: Entry[]) {
  listed = entries;
  vi.resetModules();
  const [{ useActions }, { useLibrary, useLibraryUpdates }, { useReadMark }, { actionQueue }, { useToasts }] =
    await Promise.all([
      import("../../src/composables/organise/useActions"),
      import("../../src/composables/useLibrary"),
      import("../../src/composables/useReadMark"),
      import("../../src/device/action-queue"),
      import("../../src/composables/useToasts"),
    ]);
  actionQueue.setUser(USER);
  const stop = actionQueue.start();
  const setup = () => ({
    library: useLibrary(ref({ ...NO_FILTERS, archive: "all" as const })),
    actions: useActions(),
    updates: useLibraryUpdates(),
    markRead: useReadMark(),
  });
  const { result, unmount } = mount(setup);
  const { toasts, act, dismissAll } = useToasts();
  close = async () => {
    dismissAll();
    unmount();
    stop();
    await actionQueue.finish(); // else its lease is left in storage, where other tests look
  };
  const shown = () => result.library.entries.value;
  await vi.waitFor(() => expect(shown()).toHaveLength(entries.length));
  const undo = () => toasts[0] && act(toasts[0]);
  const messages = () => toasts.map(({ message }) => message);
  return { ...result, shown, undo, messages, actionQueue };
}

const sent = () => api.changes().map(({ path, body }) => ({ path, ...(body as object) }));

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.user = USER;
  api.get = () => ({ entries: listed, next_cursor: null, counts: { all: listed.length } });
});
afterEach(async () => {
  await close();
  vi.unstubAllGlobals();
});

test("what is archived is shown as such before the server has it, and undo takes it back there, too", async () => {
  const { actions, shown, undo } = await openList(entry(1));
  actions.archive([entry(1)], true);
  expect(shown()[0]?.archived_at).not.toBeNull();
  await vi.waitFor(() => expect(sent()).toMatchObject([{ path: "/api/library/m1", archived: true }]));
  undo();
  expect(shown()[0]?.archived_at).toBeNull();
  await vi.waitFor(() => expect(sent()).toMatchObject([{ archived: true }, { archived: false }]));
});

test("undo leaves what was done with the same entry since, also once that was sent", async () => {
  const { actions, shown, undo, actionQueue } = await openList(entry(1), entry(2, { tags: ["Old"] }));
  actions.markRead(shown(), true);
  actions.star([shown()[0] as Entry], true);
  actions.tag([shown()[1] as Entry], "New", true);
  await vi.waitFor(() => expect(["m1", "m2"].some((id) => actionQueue.has(id))).toBe(false));
  undo();
  const [first, second] = shown();
  expect([first?.read_at, second?.read_at]).toEqual([null, null]);
  expect([first?.starred_at === null, second?.tags]).toEqual([false, ["New", "Old"]]);
});

test("undo leaves what the reader has marked since, and what the server has told", async () => {
  const page = await openList(entry(1), entry(2, { status: "processing" }));
  const { actions, updates, markRead, shown, undo, actionQueue } = page;
  actions.archive(shown(), true);
  markRead("m1", true); // as the reader does at the end of a text
  const event = { item_id: "i2", media_id: "m2", status_detail: null, title: "Found", updated_at: "2026-01-05" };
  updates.applyEvent({ ...event, status: "succeeded" });
  await vi.waitFor(() => expect(["m1", "m2"].some((id) => actionQueue.has(id))).toBe(false));
  undo();
  const [first, second] = shown();
  expect([first?.archived_at, second?.archived_at]).toEqual([null, null]);
  expect(first?.read_at).not.toBeNull();
  expect([second?.status, second?.title]).toEqual(["succeeded", "Found"]);
});

test("what changes nothing says nothing, sends nothing and cannot be undone", async () => {
  const starred = entry(1, { starred_at: "2026-01-05", tags: ["Science"] });
  const { actions, messages } = await openList(starred);
  actions.archive([starred], false);
  actions.tagged([starred], "science");
  actions.edit(starred, "", "");
  expect(actions.tag([starred], "SCIENCE", true)).toBeNull();
  expect([messages(), sent()]).toEqual([[], []]);
});

test("of many only those that change are changed back", async () => {
  const { actions, shown, undo } = await openList(entry(1), entry(2, { archived_at: "2026-01-05" }));
  actions.toggleArchived(shown());
  expect(shown().every((one) => one.archived_at !== null)).toBe(true);
  undo();
  expect(shown().map((one) => one.archived_at)).toEqual([null, "2026-01-05"]);
  actions.toggleArchived([shown()[1] as Entry]); // all of them are: back to the Inbox
  expect(shown()[1]?.archived_at).toBeNull();
});

test("tags that were changed in one dialog are undone together, as they were written", async () => {
  const { actions, shown, undo } = await openList(entry(1, { tags: ["Élan"] }), entry(2));
  const toggle = (name: string, isOn: boolean) => ({
    name,
    isOn,
    undo: actions.tag(shown(), name, isOn) ?? (() => {}),
  });
  actions.tellTagged(shown(), [toggle("New", true), toggle("elan", false)]);
  expect(shown().map(({ tags }) => tags)).toEqual([["New"], ["New"]]);
  undo();
  expect(shown().map(({ tags }) => tags)).toEqual([["Élan"], []]);
});

test("a title of one's own that is given up is gone, also where the note is changed with it", async () => {
  const before = entry(1, { own_title: "Mine", title: "Mine" });
  const { actions, shown, undo } = await openList(before);
  api.isDown = true;
  actions.edit(before, "", "A note");
  expect(shown()[0]).toMatchObject({ own_title: null, note: "A note" });
  undo();
  expect(shown()[0]).toMatchObject({ own_title: "Mine", title: "Mine", note: null });
});
