import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Highlight } from "../../src/api/highlights";
import { ADA, BEN, respond, type Server, server } from "../composables/server";
import { closePage, openPage, type Queue, TEXT } from "./queue-page";

let api: Server;
const LOCK_MS = 500; // the lock between windows, where browsers have none of their own

const at = (offset: number) => ({ fragment_idx: 0, offset });
const passage = (start: number, end: number) => ({
  version: 1,
  start: at(start),
  end: at(end),
  quote: "q".repeat(end - start),
  prefix: "",
  suffix: "",
});
const make = (queue: Queue, id: string, start = 0) =>
  queue.add(TEXT, id, { part: "made", place: passage(start, start + 4), color: "yellow", note: null, tags: [] });
const sent = () => api.changes().map(({ method, path }) => `${method} ${path.split("/").slice(-2).join("/")}`);
const passed = () => vi.advanceTimersByTimeAsync(LOCK_MS);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  api = server();
  api.post = () => respond(201, { data: {} });
});
afterEach(() => {
  closePage();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is made and changed without a connection is shown, survives a reload and is sent in order", async () => {
  api.isDown = true;
  const before = await openPage();
  make(before, "h2", 9);
  make(before, "h1", 2);
  before.add(TEXT, "h2", { part: "color", color: "pink" });
  before.add(TEXT, "h2", { part: "note", note: "First" });
  before.add(TEXT, "h2", { part: "note", note: "Second" });
  await passed();
  const after = await openPage();
  const shown = after.withPending(TEXT, []).map(({ id, color, note }) => [id, color, note]);
  expect(shown).toEqual([
    ["h1", "yellow", null],
    ["h2", "pink", "Second"],
  ]);
  expect(after.withPending("another", [])).toEqual([]);
  api.isDown = false;
  after.send();
  await passed();
  expect(sent()).toEqual([
    `POST ${TEXT}/highlights`,
    `POST ${TEXT}/highlights`,
    "PATCH highlights/h2",
    "PATCH highlights/h2",
  ]);
  expect(api.changes().map(({ body }) => (body as { note?: string }).note)).toEqual([null, null, undefined, "Second"]);
  expect(after.count()).toBe(0);
});

test("a deletion that is taken back before it was sent leaves what is there", async () => {
  const queue = await openPage();
  const was = { id: "h1", media_id: TEXT, start: at(0), end: at(4), color: "blue" } as Highlight;
  api.isDown = true;
  queue.add(TEXT, "h1", { part: "deleted", isDeleted: true });
  expect(queue.withPending(TEXT, [was])).toEqual([]);
  queue.add(TEXT, "h1", { part: "deleted", isDeleted: false, was });
  expect(queue.withPending(TEXT, [])).toEqual([was]);
  api.isDown = false;
  queue.send();
  await passed();
  expect(sent()).toEqual(["POST h1/restore"]);
});

test("what the server refuses is told once and does not hold up the rest", async () => {
  const queue = await openPage();
  const refused: string[] = [];
  queue.whenRefused(({ step }) => refused.push(`${step.id} ${step.part}`));
  api.isDown = true;
  make(queue, "h1");
  queue.add(TEXT, "h1", { part: "color", color: "blue" });
  make(queue, "h2");
  api.isDown = false;
  api.refuse = (body) => body.id === "h1";
  queue.send();
  await passed();
  expect(refused).toEqual(["h1 made"]);
  expect(sent()).toEqual([`POST ${TEXT}/highlights`]);
  expect(queue.count()).toBe(0);
});

test("another user's highlights stay with them", async () => {
  api.isDown = true;
  make(await openPage(ADA), "h1");
  const queue = await openPage(BEN);
  expect(queue.withPending(TEXT, [])).toEqual([]);
  api.isDown = false;
  api.user = BEN;
  queue.send();
  await passed();
  expect(sent()).toEqual([]);
  expect((await openPage(ADA)).count()).toBe(1);
});

test("what waits is given up when its user says so", async () => {
  api.isDown = true;
  const queue = await openPage();
  make(queue, "h1");
  queue.add(TEXT, "h1", { part: "note", note: "Gone" });
  expect(queue.count()).toBe(2);
  queue.discard();
  expect([queue.count(), queue.withPending(TEXT, [])]).toEqual([0, []]);
  api.isDown = false;
  (await openPage()).send();
  await passed();
  expect(sent()).toEqual([]);
});
