import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Highlight } from "../../src/api/highlights";
import { respond, type Server, server } from "../composables/server";
import { closePage, openPage, type Queue, TEXT } from "./queue-page";

let api: Server;
const LOCK_MS = 500; // the lock between windows, where browsers have none of their own

const point = (offset: number) => ({ fragment_idx: 0, offset });
const PASSAGE = { version: 1, start: point(0), end: point(4), quote: "They", prefix: "", suffix: " run" };
const WAS: Highlight = {
  ...PASSAGE,
  id: "h1",
  media_id: TEXT,
  color: "blue",
  note: "Mine",
  tags: ["x"],
  state: "attached",
  start_ms: null,
  seen_at: null,
  created_at: "2026-01-02T03:04:05.000Z",
  updated_at: "2026-01-02T03:04:05.000Z",
};
const make = (queue: Queue, id: string, mediaId = TEXT) =>
  queue.add(mediaId, id, { part: "made", place: PASSAGE, color: "yellow", note: null, tags: [] });
const sent = () => api.changes().map(({ method, path }) => `${method} ${path.split("/").slice(-2).join("/")}`);
const timesSent = () => api.changes().map(({ body }) => (body as { client_time?: string } | null)?.client_time ?? "");
const problem = (status: number, error: string) => respond(status, { detail: { error, message: "No." } });

/** Responds to what is under way only when told to. */
function hold(): () => void {
  let answer = () => {};
  api.holdUntil = new Promise((resolve) => {
    answer = resolve;
  });
  return answer;
}

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.post = () => respond(201, { data: {} });
});
afterEach(() => {
  closePage();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("what is done while a step is under way is later for the server, though it was set back", async () => {
  api.aheadMs = 5000;
  const queue = await openPage();
  const answer = hold();
  make(queue, "h1");
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  queue.add(TEXT, "h1", { part: "color", color: "pink" });
  queue.add(TEXT, "h1", { part: "note", note: "Later" });
  api.aheadMs = 0;
  answer();
  await queue.finish();
  const [made, ...later] = timesSent();
  expect(later).toHaveLength(2);
  for (const time of later) expect(time > (made ?? "~")).toBe(true);
});

test("what is done after a restore is later than it, which the server dates itself", async () => {
  vi.useFakeTimers();
  const queue = await openPage();
  const answer = hold();
  queue.add(TEXT, "h1", { part: "deleted", isDeleted: false, was: WAS });
  await vi.advanceTimersByTimeAsync(LOCK_MS);
  expect(sent()).toEqual(["POST h1/restore"]);
  queue.add(TEXT, "h1", { part: "color", color: "pink" });
  await vi.advanceTimersByTimeAsync(5000); // the server is busy, and restores only now
  const restoredAt = Date.now();
  answer();
  await vi.advanceTimersByTimeAsync(LOCK_MS);
  expect(Date.parse(timesSent()[1] ?? "")).toBeGreaterThanOrEqual(restoredAt);
});

test("what may have come to the server counts as earlier than what was done since", async () => {
  api.breaksOff = true;
  api.post = () => null;
  const queue = await openPage();
  make(queue, "h1");
  await queue.finish();
  const ahead = Date.now() + 30_000; // by another window's estimate
  localStorage.setItem("nexus.server-time", JSON.stringify(ahead));
  api.breaksOff = false;
  queue.add(TEXT, "h1", { part: "color", color: "pink" });
  await queue.finish();
  expect(Date.parse(timesSent().at(-1) ?? "")).toBeGreaterThan(ahead);
});

test("what the server fails at waits, and keeps only its own highlight waiting", async () => {
  const queue = await openPage();
  api.isDown = true;
  make(queue, "h1", "broken");
  queue.add("broken", "h1", { part: "color", color: "pink" });
  make(queue, "h2");
  await queue.finish();
  api.isDown = false;
  api.fails = (path) => path.includes("broken");
  await queue.finish();
  expect(sent()).toEqual([`POST ${TEXT}/highlights`]);
  expect(queue.count()).toBe(2);
  api.fails = () => false;
  await queue.finish();
  expect(sent().slice(1)).toEqual(["POST broken/highlights", "PATCH highlights/h1"]);
});

test("at so many the server may fail until the next retry", async () => {
  const queue = await openPage();
  api.isDown = true;
  for (let number = 0; number < 40; number += 1) make(queue, `h${number}`);
  await queue.finish();
  api.isDown = false;
  api.fails = (path) => path.endsWith("/highlights");
  api.requests.length = 0;
  await queue.finish();
  expect(api.requests.filter(({ method }) => method === "POST")).toHaveLength(30);
  expect(queue.count()).toBe(40);
});

test.each([503, 500])(
  "what can no longer be restored is made anew after a %i, with what was done to it since",
  async (status) => {
    api.isDown = true;
    const before = await openPage();
    before.add(TEXT, "h1", { part: "deleted", isDeleted: false, was: WAS });
    before.add(TEXT, "h1", { part: "note", note: "Since" });
    await before.finish();
    api.isDown = false;
    let isBusy = true;
    api.post = (path) => {
      if (path.endsWith("/restore")) return problem(410, "undo_expired");
      return isBusy ? problem(status, "busy") : respond(201, { data: {} });
    };
    const queue = await openPage();
    await queue.finish();
    const [shown] = queue.withPending(TEXT, []);
    expect(shown).toMatchObject({ quote: "They", color: "blue", note: "Since", tags: ["x"] });
    expect(shown?.id).not.toBe("h1");
    isBusy = false;
    await queue.finish();
    const made = api.changes().filter(({ path }) => path.endsWith(`${TEXT}/highlights`));
    expect(made.length).toBeGreaterThan(1); // under one id, so that it is one
    for (const { body } of made)
      expect(body).toMatchObject({ id: shown?.id, quote: "They", note: "Mine", client_time: WAS.created_at });
    expect(sent().at(-1)).toBe(`PATCH highlights/${shown?.id}`);
    expect(queue.count()).toBe(0);
  },
);

test("one that can neither be restored nor made anew is handed over with what was done with it since", async () => {
  api.isDown = true;
  const before = await openPage();
  before.add(TEXT, "h1", { part: "deleted", isDeleted: false, was: WAS });
  before.add(TEXT, "h1", { part: "note", note: "Since" });
  await before.finish();
  api.isDown = false;
  api.post = (path) => (path.endsWith("/restore") ? problem(410, "undo_expired") : problem(422, "invalid_range"));
  const queue = await openPage();
  const refused: (Highlight | null)[] = [];
  queue.whenRefused(({ lost }) => refused.push(lost));
  await queue.finish();
  expect(refused).toMatchObject([{ quote: "They", note: "Since" }]);
  expect(sent()).toEqual(["POST h1/restore", `POST ${TEXT}/highlights`]);
  expect(queue.count()).toBe(0);
});

test("one that is refused is handed over with all that was done with it", async () => {
  const queue = await openPage();
  const refused: (Highlight | null)[] = [];
  queue.whenRefused(({ lost }) => refused.push(lost));
  api.isDown = true;
  make(queue, "h1");
  queue.add(TEXT, "h1", { part: "note", note: "Keep me" });
  queue.add(TEXT, "h2", { part: "note", note: "x" });
  await queue.finish();
  api.isDown = false;
  api.refuse = () => true;
  await queue.finish();
  expect(refused).toMatchObject([{ id: "h1", quote: "They", note: "Keep me" }, null]);
  expect(queue.count()).toBe(0);
});

test("what can neither be sent nor stored is told", async () => {
  const queue = await openPage();
  const told = vi.fn();
  queue.whenNotStored(told);
  make(queue, "h1");
  await queue.finish();
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  make(queue, "h2");
  await queue.finish();
  expect(told).not.toHaveBeenCalled(); // it was sent
  api.isDown = true;
  make(queue, "h3");
  await queue.finish();
  expect(told).toHaveBeenCalled();
  expect(queue.count()).toBe(1);
});
