import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import type { Refusal } from "../../src/device/action-queue";
import type { EntryChange } from "../../src/device/decisions";
import { respond, type Server, server } from "../composables/server";
import { actionWindows, leftInStorage } from "./windows";

let api: Server;
const { openPage, close } = actionWindows();

const TEN: [mediaId: string, change: EntryChange][] = [
  ["m1", { field: "read", value: true }],
  ["m1", { field: "archived", value: true }],
  ["m2", { field: "starred", value: true }],
  ["m3", { field: "tag", name: "later", value: true }],
  ["m2", { field: "note", value: "Look again" }],
  ["m4", { field: "deleted", itemId: "i4" }],
  ["m3", { field: "tag", name: "old", value: false }],
  ["m5", { field: "title", value: "Mine" }],
  ["m5", { field: "archived", value: false }],
  ["m6", { field: "deleted", itemId: null }],
];
const IN_ORDER = [
  "PATCH m1 read",
  "PATCH m1 archived",
  "PATCH m2 starred",
  "PATCH m3 add_tags",
  "PATCH m2 note",
  "DELETE i4 ",
  "PATCH m3 remove_tags",
  "PATCH m5 title",
  "PATCH m5 archived",
  "DELETE m6 ",
];

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

/** As "method id change". */
const named = (requests: Server["requests"]) =>
  requests.map(({ method, path, body }) => {
    const [change = ""] = Object.keys((body ?? {}) as object).filter((key) => key !== "client_time");
    return `${method} ${path.split("/").at(-1)} ${change}`;
  });
const tried = () => named(api.requests.filter(({ method }) => method !== "GET"));
const done = () => named(api.changes());

/** The ten, without a connection, and the page closed. */
async function decideTen(): Promise<void> {
  api.isDown = true;
  const queue = await openPage();
  for (const [media_id, change] of TEN) queue.add({ media_id, title: `Title of ${media_id}` } as Entry, change);
  await queue.finish();
  close();
  api.requests.length = 0;
}

test("ten decisions are sent in their order, each after the response to the one before", async () => {
  await decideTen();
  api.isDown = false;
  await (await openPage()).finish();
  expect(done()).toEqual(IN_ORDER);
  expect(api.most).toBe(1);
  expect(leftInStorage()).toEqual([]);
});

test.each([
  ["the server is not ready", () => respond(503, { detail: { error: "not_ready", message: "Later." } })],
  ["the connection is gone", () => Promise.reject(new TypeError("Failed to fetch"))],
])("when %s in the middle, the rest waits and follows in order", async (_, fail) => {
  await decideTen();
  api.isDown = false;
  const reachable = globalThis.fetch;
  let left = 5;
  vi.stubGlobal("fetch", (request: Request) => {
    if (request.method === "GET") return reachable(request);
    left -= 1;
    return left < 0 ? fail() : reachable(request);
  });
  const queue = await openPage();
  await queue.finish();
  expect(done()).toEqual(IN_ORDER.slice(0, 5));
  expect(queue.waiting.value).toBe(5);
  close(); // the browser is closed meanwhile
  vi.stubGlobal("fetch", reachable);
  await (await openPage()).finish();
  expect(done()).toEqual(IN_ORDER);
  expect(api.most).toBe(1);
});

test.each([404, 422])("what the server refuses with %d is told, and the rest follows", async (status) => {
  await decideTen();
  api.isDown = false;
  const reachable = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (!request.url.endsWith("/m3")) return reachable(request);
    api.requests.push({
      method: request.method,
      path: "/m3",
      query: "",
      isFresh: false,
      body: JSON.parse(await request.clone().text()),
    });
    return respond(status, { detail: { error: "refused", message: "Not this." } });
  });
  const queue = await openPage();
  const refused = vi.fn();
  queue.whenRefused(refused);
  await expect(queue.finish()).rejects.toThrow("Not this.");
  expect(tried()).toEqual(IN_ORDER);
  expect(done()).toEqual(IN_ORDER.filter((one) => !one.includes("m3")));
  const told = refused.mock.calls.flatMap(([all]) =>
    all.map(({ decision }: Refusal) => [decision.title, decision.field]),
  );
  expect(told).toEqual([
    ["Title of m3", "tag"],
    ["Title of m3", "tag"],
  ]);
  expect(leftInStorage()).toEqual([]);
});
