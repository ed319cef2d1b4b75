import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import { type Server, server } from "../composables/server";
import { actionWindows, leftInStorage } from "./windows";

let api: Server;
const { openPage, close } = actionWindows();

const entry = (media_id: string) => ({ media_id, title: `Title of ${media_id}` }) as Entry;
const archived = (value: boolean) => () => [{ field: "archived" as const, value }];
const bodies = () => api.changes().map(({ path, body }) => [path.split("/").at(-1), body]);
const timesSent = () => api.changes().map(({ body }) => (body as { client_time?: string }).client_time);

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

/** Responds to what is under way only when told to. */
function hold(): () => void {
  let respond = () => {};
  api.holdUntil = new Promise((resolve) => {
    respond = resolve;
  });
  return respond;
}

/** Archives many, of which the first is under way by itself, and takes that back. */
async function takeBackMany() {
  api.refuse = (body) => "media_ids" in body;
  const queue = await openPage();
  const many = [entry("m1"), entry("m2"), entry("m3")];
  const respond = hold();
  queue.addMany(many, archived(true));
  await vi.waitFor(() => expect(bodies()).toEqual([["m1", { archived: true }]]));
  queue.addMany(many, archived(false));
  return { queue, respond };
}

test("what is taken back while many are being sent one by one is not sent", async () => {
  const { queue, respond } = await takeBackMany();
  respond();
  await queue.finish();
  const undone = ["m1", "m2", "m3"].map((id) => [id, { archived: false }]);
  expect(bodies().slice(1).sort()).toEqual(undone);
});

test("what takes back is later than what was under way, also when it is sent late", async () => {
  const { queue, respond } = await takeBackMany();
  const handledBy = new Date().toISOString();
  api.isDown = true;
  respond();
  await queue.finish();
  api.isDown = false;
  await (await openPage()).finish();
  const undo = api.changes().findLast(({ path }) => path.endsWith("/m1"))?.body;
  expect(undo).toMatchObject({ archived: false });
  expect((undo as { client_time: string }).client_time > handledBy).toBe(true);
});

test("what must be dated later for one of many is not dated later for the others", async () => {
  const queue = await openPage();
  const respond = hold();
  queue.add(entry("m1"), { field: "starred", value: true });
  await vi.waitFor(() => expect(bodies()).toHaveLength(1));
  const at = Date.parse(queue.addMany([entry("m1"), entry("m2"), entry("m3")], archived(true)));
  // The device sleeps, and nobody knows when in these hours the first one came to the server.
  const HOURS = 8 * 3_600_000;
  const now = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => now() + HOURS);
  api.breaksOff = true;
  respond();
  await queue.finish();
  api.breaksOff = false;
  await queue.finish();
  const sent = api.changes().filter(({ body }) => !("starred" in (body as object)));
  const times = sent.map(({ path, body }) => {
    const { media_ids, client_time } = body as { media_ids?: string[]; client_time: string };
    return [media_ids ?? path.split("/").at(-1), Date.parse(client_time) - at > HOURS - 60_000];
  });
  expect(times).toEqual(
    expect.arrayContaining([
      ["m1", true],
      [["m2", "m3"], false],
    ]),
  );
  vi.restoreAllMocks();
});

test.each([-3_600_000, 3_600_000])("what is sent late has the server's time, though it is %d ms off", async (ahead) => {
  api.isDown = true;
  api.aheadMs = ahead;
  const at = (await openPage()).add(entry("m1"), { field: "starred", value: true });
  await vi.waitFor(() => expect(api.requests).toHaveLength(1));
  api.isDown = false;
  await (await openPage()).finish();
  expect(Math.abs(Date.parse(timesSent()[0] ?? "") - Date.parse(at) - ahead)).toBeLessThan(2000);
});

test("what the server fails at again and again waits, and keeps only its own media waiting", async () => {
  api.fails = (path) => path.endsWith("/m1") || path.endsWith("/bulk");
  const queue = await openPage();
  queue.addMany([entry("m1"), entry("m2")], archived(true));
  queue.add(entry("m1"), { field: "starred", value: true });
  queue.add(entry("m3"), { field: "starred", value: true });
  await queue.finish();
  expect([queue.waiting.value, bodies()]).toEqual([4, []]); // it may be well again soon
  await queue.finish();
  await queue.finish();
  expect(bodies().map(([id]) => id)).toEqual(["m2", "m3"]);
  expect(queue.waiting.value).toBe(2);
  api.fails = () => false;
  await queue.finish();
  expect(bodies().slice(2)).toMatchObject([
    ["m1", { archived: true }],
    ["m1", { starred: true }],
  ]);
  expect(queue.waiting.value).toBe(0);
});

test("what the server fails at can be discarded", async () => {
  api.fails = () => true;
  const queue = await openPage();
  queue.add(entry("m1"), { field: "note", value: "Only for me" });
  await queue.finish();
  expect(queue.waiting.value).toBe(1);
  queue.discard();
  expect([queue.waiting.value, queue.has("m1"), leftInStorage()]).toEqual([0, false, []]);
});
