import { expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import type { Refusal } from "../../src/device/action-queue";
import type { EntryChange } from "../../src/device/decisions";
import { ADA, BEN, type Server } from "../composables/server";
import { actionWindows, emptyBrowser, leftInStorage } from "./windows";

let api: Server;
const { openPage, openWindow, close } = actionWindows();

/** The requests as "what the id of the media: the change". */
function sent(): string[] {
  return api.changes().map(({ method, path, body }) => {
    const { client_time, ...change } = (body ?? {}) as Record<string, unknown>;
    return `${method} ${path.split("/")[3]} ${JSON.stringify(change).replaceAll('"', "")}`;
  });
}
const entry = (media_id: string, more: Partial<Entry> = {}) =>
  ({
    media_id,
    title: `Title of ${media_id}`,
    own_title: null,
    note: null,
    read_at: null,
    archived_at: null,
    starred_at: null,
    tags: [],
    ...more,
  }) as unknown as Entry;
const read = (value: boolean): EntryChange => ({ field: "read", value });

emptyBrowser(close, (made) => {
  api = made;
});

test("marks made without a connection survive the page and are sent in order", async () => {
  api.isDown = true;
  vi.useFakeTimers();
  const before = await openPage();
  for (const mediaId of ["m2", "m1", "m3"]) {
    before.add(entry(mediaId), read(true));
    await vi.advanceTimersByTimeAsync(5);
  }
  const after = await openPage();
  expect(after.withPending([entry("m1")])[0]?.read_at).not.toBeNull();
  expect(await after.readAt("m3")).not.toBeNull();
  api.isDown = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(sent()).toEqual(["PATCH m2 {read:true}", "PATCH m1 {read:true}", "PATCH m3 {read:true}"]);
  expect(after.has("m1")).toBe(false);
  expect(leftInStorage()).toEqual([]);
});

test("of two marks of one text the later counts", async () => {
  api.isDown = true;
  const queue = await openPage();
  queue.add(entry("m1"), read(true));
  queue.add(entry("m1"), read(false));
  expect(queue.withPending([entry("m1", { read_at: "2026-01-01" })])[0]?.read_at).toBeNull();
  api.isDown = false;
  queue.send();
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m1 {read:false}"]));
});

test("a mark that is reverted while it is being sent is sent, too", async () => {
  const queue = await openPage();
  let respond = () => {};
  api.holdUntil = new Promise((resolve) => {
    respond = resolve;
  });
  queue.add(entry("m1"), read(true));
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m1 {read:true}"]));
  queue.add(entry("m1"), read(false));
  respond();
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m1 {read:true}", "PATCH m1 {read:false}"]));
  await vi.waitFor(() => expect(queue.has("m1")).toBe(false));
});

test("a refused mark is reported and not retried", async () => {
  api.refuse = () => true;
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  queue.add(entry("gone"), read(true));
  await vi.waitFor(() => expect(refused).toHaveBeenCalledOnce());
  expect(queue.has("gone")).toBe(false);
});

test("marks are kept per user", async () => {
  api.isDown = true;
  (await openPage(ADA)).add(entry("m1"), read(true));
  api.isDown = false;
  api.user = BEN;
  const ben = await openPage(BEN);
  expect(ben.has("m1")).toBe(false);
  ben.add(entry("m9"), read(true));
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m9 {read:true}"]));
  api.user = ADA;
  await openPage(ADA);
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m9 {read:true}", "PATCH m1 {read:true}"]));
});

test("what one window has sent, another one does not send again", async () => {
  api.isDown = true;
  const one = await openPage();
  one.add(entry("m1"), read(true));
  const other = await openWindow();
  expect(other.has("m1")).toBe(true);
  await vi.waitFor(() => expect(api.requests.length).toBeGreaterThan(0));
  api.isDown = false;
  one.send();
  await vi.waitFor(() => expect(one.has("m1")).toBe(false));
  expect(sent()).toEqual(["PATCH m1 {read:true}"]);
  window.dispatchEvent(new StorageEvent("storage", { key: `nexus.actions.${ADA}.m1.read` }));
  expect(other.has("m1")).toBe(false);
  other.add(entry("m2"), read(true));
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m1 {read:true}", "PATCH m2 {read:true}"]));
});

test("of the marks of two windows the later counts in both", async () => {
  api.isDown = true;
  const one = await openPage();
  one.add(entry("m1"), read(true));
  const other = await openWindow();
  other.add(entry("m1"), read(false));
  window.dispatchEvent(new StorageEvent("storage", { key: `nexus.actions.${ADA}.m1.read` }));
  expect(one.withPending([entry("m1", { read_at: "2026-01-01" })])[0]?.read_at).toBeNull();
  api.isDown = false;
  one.send();
  await vi.waitFor(() => expect(one.has("m1")).toBe(false));
  expect(sent()).toEqual(["PATCH m1 {read:false}"]);
});

test("a response that breaks off does not count as a refusal", async () => {
  api.breaksOff = true;
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  queue.add(entry("m1"), read(true));
  await vi.waitFor(() => expect(sent()).toEqual(["PATCH m1 {read:true}"]));
  api.breaksOff = false;
  await vi.waitFor(() => {
    queue.send();
    expect(sent()).toEqual(["PATCH m1 {read:true}", "PATCH m1 {read:true}"]);
  });
  expect(refused).not.toHaveBeenCalled();
});

test("each kind of change is shown at once, and sent by itself in order with its time", async () => {
  api.isDown = true;
  const queue = await openPage();
  const page = entry("m1", { tags: ["Été", "old"] });
  queue.add(page, { field: "archived", value: true });
  queue.add(page, { field: "starred", value: true });
  queue.add(page, { field: "tag", name: "Science/Space", value: true });
  queue.add(page, { field: "tag", name: "ete", value: false });
  queue.add(page, { field: "title", value: "Mine" });
  queue.add(page, { field: "note", value: "Look again" });
  queue.add(page, { field: "archived", value: false });
  const [shown] = (await openPage()).withPending([page]);
  expect(shown).toMatchObject({
    archived_at: null,
    tags: ["old", "Science/Space"],
    own_title: "Mine",
    title: "Mine",
    note: "Look again",
  });
  expect(shown?.starred_at).not.toBeNull();
  await vi.waitFor(() => expect(api.requests.length).toBe(2)); // each window has tried in vain
  api.isDown = false;
  const after = await openPage();
  await vi.waitFor(() => expect(after.has("m1")).toBe(false));
  expect(sent()).toEqual([
    "PATCH m1 {starred:true}",
    "PATCH m1 {add_tags:[Science/Space]}",
    "PATCH m1 {remove_tags:[ete]}",
    "PATCH m1 {title:Mine}",
    "PATCH m1 {note:Look again}",
    "PATCH m1 {archived:false}",
  ]);
  const times = api.changes().map(({ body }) => (body as { client_time: string }).client_time);
  expect(new Set(times).size).toBe(6);
  expect([...times].sort()).toEqual(times);
});

test("what is sent at once has no time: the clock of this device may be wrong", async () => {
  const queue = await openPage();
  queue.add(entry("m1"), { field: "starred", value: true });
  await queue.finish();
  expect(api.changes().map(({ body }) => body)).toEqual([{ starred: true }]);
});

test("what another window decided without a connection is sent with its time", async () => {
  api.isDown = true;
  const one = await openPage();
  const other = await openWindow();
  const at = one.add(entry("m1"), { field: "starred", value: true });
  await vi.waitFor(() => expect(api.requests).toHaveLength(1));
  api.isDown = false;
  await other.finish();
  expect(api.changes().map(({ body }) => body)).toEqual([{ starred: true, client_time: at }]);
});

test("what is decided for many at once is one request, or one for each when that is refused", async () => {
  const queue = await openPage();
  queue.addMany([entry("m1"), entry("m2")], () => [{ field: "archived", value: true }]);
  await queue.finish();
  expect(sent()).toEqual(["POST bulk {media_ids:[m1,m2],set:{archived:true}}"]);
  api.refuse = (body) => "media_ids" in body;
  queue.addMany([entry("m1"), entry("m2")], () => [{ field: "tag", name: "a", value: true }]);
  await queue.finish();
  expect(sent().slice(1)).toEqual(["PATCH m1 {add_tags:[a]}", "PATCH m2 {add_tags:[a]}"]);
  expect(leftInStorage()).toEqual([]);
});

test("of a thousand at once the refused are found in few requests and told once", async () => {
  api.refuse = (body, path) => (body.media_ids as string[] | undefined)?.includes("m7") ?? path.endsWith("/m7");
  const queue = await openPage();
  const [sentOnes, refused, read] = [vi.fn(), vi.fn(), vi.spyOn(Object, "keys")];
  queue.whenSent(sentOnes);
  queue.whenRefused(refused);
  const many = Array.from({ length: 1000 }, (_, index) => entry(`m${index}`));
  queue.addMany(many, () => [{ field: "archived", value: true }]);
  await expect(queue.finish()).rejects.toThrow("Not like this.");
  expect(api.requests.length).toBeLessThan(25);
  expect(read.mock.calls.filter(([of]) => of === localStorage).length).toBeLessThan(10); // all that is stored
  read.mockRestore();
  expect(sentOnes.mock.calls.map(([decisions]) => decisions.length)).toEqual([999]);
  expect(refused.mock.calls.map(([all]) => all.map((one: Refusal) => one.decision.mediaId))).toEqual([["m7"]]);
  expect(leftInStorage()).toEqual([]);
});

test("what is to be deleted is not shown, and its refusal is reported with the decision", async () => {
  api.isDown = true;
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  queue.add(entry("m1"), { field: "deleted", itemId: "i1" });
  queue.add(entry("m2"), { field: "deleted", itemId: null });
  expect(queue.withPending([entry("m1"), entry("m2"), entry("m3")]).map((one) => one.media_id)).toEqual(["m3"]);
  api.isDown = false;
  api.refuse = () => true;
  await expect(queue.finish()).rejects.toThrow("Not like this.");
  expect(refused.mock.calls.map(([[{ decision }]]) => [decision.field, decision.title])).toEqual([
    ["deleted", "Title of m1"],
    ["deleted", "Title of m2"],
  ]);
  expect(queue.withPending([entry("m1")])).toHaveLength(1);
});

test("what was deleted without a connection is sent with its time", async () => {
  api.isDown = true;
  const queue = await openPage();
  const first = queue.add(entry("m1"), { field: "deleted", itemId: "i1" });
  const second = queue.add(entry("m2"), { field: "deleted", itemId: null });
  await vi.waitFor(() => expect(api.requests).toHaveLength(1));
  api.isDown = false;
  await queue.finish();
  expect(api.changes().map(({ path, query }) => [path, new URLSearchParams(query).get("client_time")])).toEqual([
    ["/items/i1", first],
    ["/media/m2", second],
  ]);
});

test("read marks that an earlier version stored are sent", async () => {
  localStorage.setItem(`nexus.read-marks.${ADA}.m1`, JSON.stringify({ isRead: true, at: "2026-01-01T00:00:00.000Z" }));
  const queue = await openPage();
  await queue.finish();
  expect(sent()).toEqual(["PATCH m1 {read:true}"]);
  expect(leftInStorage()).toEqual([]);
});
