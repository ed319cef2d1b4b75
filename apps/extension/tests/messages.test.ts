import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { answer } from "../src/background/messages";
import { entries, removeEntry } from "../src/background/outbox";
import { addPage } from "../src/background/saving";
import type { Message, Requests } from "../src/shared/messages";
import { loadSettings } from "../src/shared/settings";
import { icon, startBrowser, tab } from "./browser";
import { FakeNexusServer, type Respond, refusal } from "./fake-nexus-server";

const PAGE = { url: "https://a.example/x", itemId: null, title: "X", lang: "en", selection: "", html: "<p>Text</p>" };
const SAVED = { item_id: "i1", media_id: "m1", status: "succeeded" };
const KNOWN = { ...SAVED, title: "X", tags: ["old"], note: null, highlights: 0 };
let server: FakeNexusServer;
let address: string;

beforeEach(async () => {
  server = new FakeNexusServer();
  address = await server.start();
  startBrowser({ server: address, token: "t0" });
  Object.assign(tab, { url: PAGE.url, title: "X", page: PAGE });
});
afterEach(async () => {
  for (const { key } of await entries()) await removeEntry(key);
  vi.unstubAllGlobals();
  await server.stop();
});

const accept: Respond = ({ path }) =>
  path.startsWith("/api/captures/lookup") ? { body: { page: KNOWN } } : { status: 201, body: SAVED };
const tell = <Kind extends keyof Requests>(kind: Kind, request: Requests[Kind]["request"]) =>
  answer({ kind, ...request } as Message);
async function ask<Kind extends keyof Requests>(kind: Kind, request: Requests[Kind]["request"]) {
  const answered = await tell(kind, request);
  if ("error" in answered) throw new Error(answered.error);
  return answered.value as Requests[Kind]["response"];
}
const save = () => ask("save", { tabId: 1, itemId: null });
const describe = (key: string | null, mediaId: string | null = null) =>
  ask("describe", { key, url: PAGE.url, mediaId, tags: ["a"], note: "" });

it("saves the page of a tab and says what became of it", async () => {
  server.respond = accept;
  expect(await save()).toMatchObject({ state: "saved", message: "Saved", saved: SAVED });
  expect(await entries()).toEqual([]);
});

it("says why only the link was saved", async () => {
  tab.page = null;
  server.respond = () => ({ body: { id: "i1", status: "queued" } });
  expect((await save()).message).toContain("its link was saved");
});

it("keeps what the server refuses, with its reason, and counts it on the icon", async () => {
  server.respond = () => refusal(422, "No text.");
  const { state, message, key } = await save();
  expect([state, message, icon.text]).toEqual(["refused", "Not saved. No text.", "1"]);
  expect(await ask("waiting", {})).toEqual([{ key, url: PAGE.url, title: "X", problem: "No text." }]);
  server.respond = accept;
  await ask("retry", { key });
  expect([await entries(), icon.text]).toEqual([[], ""]);
});

it("discards what its user wants no more", async () => {
  server.respond = () => refusal(422, "No text.");
  const { key } = await save();
  await ask("discard", { key });
  expect([await entries(), icon.text]).toEqual([[], ""]);
});

it("gives tags to what still waits, without a request", async () => {
  server.respond = () => refusal(422, "No text.");
  const { key } = await save();
  const before = server.calls.length;
  await describe(key);
  expect((await entries())[0]?.tags).toEqual(["a"]);
  expect(server.calls).toHaveLength(before);
});

it("gives tags to what the server has: all that the user sees, and no note", async () => {
  server.respond = accept;
  const { key } = await save();
  await describe(key, "m1");
  await describe(null);
  const patches = server.received.filter(({ method }) => method === "PATCH");
  expect(patches.map(({ path }) => path)).toEqual(["/api/library/m1", "/api/library/m1"]);
  expect(patches[0]?.body).toEqual({ tags: ["a"], note: null });
});

it("says that a page without an entry gets no tags", async () => {
  server.respond = () => ({ body: { page: null } });
  await expect(describe(null)).rejects.toThrow("not in your library");
});

it("says in its own words that the server is away or does not know this browser", async () => {
  server.respond = () => refusal(401, "A token is needed.");
  expect(await tell("tags", {})).toEqual({ error: expect.stringContaining("not connected") });
  server.respond = () => refusal(400, "This link cannot be used.");
  expect(await tell("lookup", { url: "x" })).toEqual({ error: "This link cannot be used." });
  await server.stop();
  expect(await tell("tags", {})).toEqual({ error: expect.stringContaining("does not answer") });
});

it("pairs this browser with a code, and sends what waits with its new token", async () => {
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 Gecko/20100101 Firefox/130.0" });
  startBrowser({ server: address, token: "" });
  await addPage(await chrome.tabs.get(1));
  server.respond = (received) =>
    received.path === "/api/pairings/exchange" ? { body: { token: "t1" } } : accept(received);
  await ask("pair", { server: address, code: "nxp_1" });
  expect(await loadSettings()).toMatchObject({ server: address, token: "t1" });
  await expect.poll(entries).toEqual([]);
  const [exchange, sent] = server.received;
  expect([exchange?.token, exchange?.body]).toEqual([undefined, { code: "nxp_1", name: "Firefox" }]);
  expect(sent?.token).toBe("Bearer t1");
});
