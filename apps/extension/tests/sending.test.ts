import { afterEach, beforeEach, expect, it } from "vitest";
import { addEntry, changeEntry, entries, type OutboxEntry, removeEntry } from "../src/background/outbox";
import { sendAgain, sendAll, sendEntry } from "../src/background/sending";
import { startBrowser } from "./browser";
import { FakeNexusServer, type Respond, refusal } from "./fake-nexus-server";

const PAGE = { url: "https://a.example/x", itemId: null, title: "X", lang: "en", selection: "", html: "<p>Text</p>" };
const SAVED = { item_id: "i1", media_id: "m1", status: "succeeded" };
let server: FakeNexusServer;
let address: string;

beforeEach(async () => {
  server = new FakeNexusServer();
  address = await server.start();
  startBrowser({ server: address, token: "t0" });
});

afterEach(async () => {
  for (const { key } of await entries()) await removeEntry(key);
  await server.stop();
});

function entry(changed: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    key: crypto.randomUUID(), addedAt: Date.now(), url: PAGE.url, title: "X", tags: [], note: "", page: PAGE,
    itemId: null, isLinkFirst: false, linkItemId: null, described: null, delivered: null, problem: null, ...changed,
  }; // biome-ignore format: short
}

async function added(changed: Partial<OutboxEntry> = {}): Promise<OutboxEntry> {
  const made = entry(changed);
  await addEntry(made);
  return made;
}

it("sends a page with its tags and note, and forgets it", async () => {
  server.respond = () => ({ status: 201, body: SAVED });
  const sent = await added({ tags: ["a/b"], note: "read it" });
  expect(await sendEntry(sent)).toEqual({ kind: "saved", saved: SAVED });
  expect(await entries()).toEqual([]);
  const [{ path, token, key, body }] = server.received as [(typeof server.received)[0]];
  expect({ path, token, key }).toEqual({ path: "/api/captures", token: "Bearer t0", key: `${sent.key}-page` });
  expect(body).toEqual({ url: PAGE.url, html: PAGE.html, title: "X", lang: "en", tags: ["a/b"], note: "read it" });
});

it("sends again what is just failing to reach a server that is not there", async () => {
  server.respond = () => ({ status: 201, body: SAVED });
  await added();
  startBrowser({ server: "http://127.0.0.1:9", token: "t0" });
  const failing = sendAll(() => {});
  await entries(); // it has begun
  startBrowser({ server: address, token: "t0" });
  await Promise.all([failing, sendAgain(() => {})]);
  expect(await entries()).toEqual([]);
});

it("sends again what the popup is just failing to send", async () => {
  const busy = new FakeNexusServer();
  startBrowser({ server: await busy.start(), token: "t0" });
  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  busy.respond = () => failed.then(() => ({ status: 503, body: {} }));
  const failing = sendEntry(await added());
  server.respond = () => ({ status: 201, body: SAVED });
  startBrowser({ server: address, token: "t0" });
  const again = sendAgain(() => {});
  for (let looks = 0; looks < 3; looks += 1) await entries(); // as many as it takes until it is sent again
  fail();
  await again;
  expect([(await failing).kind, await entries()]).toEqual(["queued", []]);
  await busy.stop();
});

it("sends what is added while others are being sent", async () => {
  server.respond = async ({ body }) => {
    if (body.title === "X") await added({ page: { ...PAGE, title: "Meanwhile" } });
    return { status: 201, body: SAVED };
  };
  await added();
  await sendAll(() => {});
  expect(server.received.map(({ body }) => body.title)).toEqual(["X", "Meanwhile"]);
  expect(await entries()).toEqual([]);
});

it("sends once what is sent from the popup and from the outbox at the same time", async () => {
  server.respond = () => ({ status: 201, body: SAVED });
  const sent = await added();
  const outcomes = await Promise.all([sendEntry(sent), sendEntry({ ...sent })]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["saved", "saved"]);
  expect(server.calls).toEqual(["POST /api/captures"]);
});

it("compresses what is long", async () => {
  server.respond = () => ({ status: 201, body: SAVED });
  await sendEntry(await added({ page: { ...PAGE, html: "<p>long</p>".repeat(20_000) } }));
  expect(server.received[0]?.encoding).toBe("gzip");
  expect(server.received[0]?.body.html).toHaveLength(220_000);
});

it("keeps everything while the server is away, and sends it once later", async () => {
  await server.stop();
  const first = await added({ addedAt: 1 });
  const second = await added({ addedAt: 2, page: null, url: "https://a.example/link" });
  await sendAll(() => {});
  expect((await entries()).map(({ key }) => key)).toEqual([first.key, second.key]);
  startBrowser({ server: await server.start(), token: "t0" });
  server.respond = ({ path }) => ({ body: path === "/items" ? { id: "i2", status: "queued" } : SAVED });
  await sendAll(() => {});
  expect(server.calls).toEqual(["POST /api/captures", "POST /items"]);
  expect(await entries()).toEqual([]);
});

it.each([401, 429, 500, 503])("keeps what is refused for now (%i)", async (status) => {
  server.respond = () => refusal(status, "Later.");
  expect((await sendEntry(await added())).kind).toBe("queued");
  expect((await entries())[0]?.problem).toBeNull();
});

it("keeps what something else than Nexus answered", async () => {
  server.respond = () => ({ status: 404, body: "<html>hotel wifi</html>" });
  expect((await sendEntry(await added())).kind).toBe("queued");
});

it("keeps what is refused for good with the server's reason, and goes on with the others", async () => {
  server.respond = ({ body }) => (body.url === "https://bad.example/" ? refusal(422, "No text.") : { body: SAVED });
  const bad = await added({ addedAt: 1, page: { ...PAGE, url: "https://bad.example/" } });
  await added({ addedAt: 2 });
  await sendAll(() => {});
  expect((await entries()).map(({ key, problem }) => [key, problem])).toEqual([[bad.key, "No text."]]);
  await sendAll(() => {});
  expect(server.calls).toHaveLength(2); // not again without the user's wish
});

it("sends the link first and the page only if the server cannot read it", async () => {
  let status = "processing";
  server.respond = ({ method, path }) => {
    if (path === "/items") return { body: { id: "i7", status: "queued" } };
    return method === "GET" ? { body: { id: "i7", status } } : { status: 201, body: SAVED };
  };
  const wanted = await added({ isLinkFirst: true });
  expect(await sendEntry(wanted)).toEqual({ kind: "reading" });
  status = "needs_user_text";
  const [kept] = await entries();
  expect((await sendEntry(kept as OutboxEntry)).kind).toBe("saved");
  expect(server.calls).toEqual(["POST /items", "GET /items/i7", "GET /items/i7", "POST /api/captures"]);
  expect(server.received.at(-1)?.body.item_id).toBe("i7");
});

it("does not send the page of a link that the server could read", async () => {
  server.respond = ({ path }) => ({ body: { id: "i7", status: path === "/items" ? "queued" : "succeeded" } });
  expect((await sendEntry(await added({ isLinkFirst: true }))).kind).toBe("saved");
  expect(server.calls).toEqual(["POST /items", "GET /items/i7"]);
});

it("keeps a page whose item has its text by now", async () => {
  server.respond = ({ body }) => (body.item_id ? refusal(409, "Not waiting.") : { status: 201, body: SAVED });
  expect((await sendEntry(await added({ itemId: "i9" }))).kind).toBe("saved");
  expect(server.received.map(({ body }) => body.item_id)).toEqual(["i9", undefined]);
});

const KNOWN = { item_id: "i1", media_id: "m1", status: "succeeded", title: "X", highlights: 0 };
const patches = () =>
  server.received.filter(({ method }) => method === "PATCH").map(({ path, body }) => ({ path, body }));

/** A server that has the page, with these tags and this note of before. */
function knowPage(note: string | null, rest: Respond = () => ({ status: 201, body: SAVED })): void {
  server.respond = (received) => {
    if (received.path.startsWith("/api/captures/lookup")) return { body: { page: { ...KNOWN, tags: ["old"], note } } };
    if (received.path === "/items") return { body: { id: "i7", status: "queued" } };
    if (received.path === "/items/i7") return { body: { id: "i7", status: "succeeded" } };
    return rest(received);
  };
}

it.each([
  ["a link", { page: null }],
  ["a page that the server could read", { isLinkFirst: true }],
])("gives %s its tags and its note, and forgets it then", async (_, kind) => {
  knowPage(null);
  expect((await sendEntry(await added({ ...kind, tags: ["a/b"], note: "read it" }))).kind).toBe("saved");
  expect(patches()).toEqual([{ path: "/api/library/m1", body: { add_tags: ["a/b"], note: "read it" } }]);
  expect(await entries()).toEqual([]);
});

it("adds to the note of before", async () => {
  knowPage("Before.");
  await sendEntry(await added({ page: null, note: "Now." }));
  knowPage("Before. Now.");
  await sendEntry(await added({ page: null, note: "Now." }));
  expect(patches().map(({ body }) => body)).toEqual([{ note: "Before.\n\nNow." }]);
});

it("sends the tags and the note that were given while the page was being sent", async () => {
  const sent = await added();
  const later = [{ tags: ["a"] }, { tags: ["a", "b"], note: "late" }];
  knowPage(null, async () => {
    const changed = later.shift();
    if (changed) await changeEntry(sent.key, changed);
    return { status: 201, body: SAVED };
  });
  await sendEntry(sent);
  expect(patches().map(({ body }) => body)).toEqual([{ add_tags: ["a"] }, { add_tags: ["a", "b"], note: "late" }]);
  expect(await entries()).toEqual([]);
});

it("sends only the tags again where the server went away after it had the page", async () => {
  const sent = await added();
  knowPage(null, async ({ method }) => {
    if (method === "PATCH") return refusal(503, "Later.");
    await changeEntry(sent.key, { tags: ["a"] });
    return { status: 201, body: SAVED };
  });
  expect((await sendEntry(sent)).kind).toBe("queued");
  const [kept] = await entries();
  knowPage(null);
  expect((await sendEntry(kept as OutboxEntry)).kind).toBe("saved");
  expect(server.calls.filter((call) => call === "POST /api/captures")).toHaveLength(1);
  expect(patches().at(-1)?.body).toEqual({ add_tags: ["a"] });
  expect(await entries()).toEqual([]);
});

it("sends a page again with what it had at first, because the server may have it", async () => {
  const sent = await added({ tags: ["a"] });
  server.respond = async () => {
    await changeEntry(sent.key, { tags: ["a", "b"] });
    return refusal(503, "Later.");
  };
  await sendEntry(sent);
  const [kept] = await entries();
  knowPage(null);
  await sendEntry(kept as OutboxEntry);
  const bodies = server.received.filter(({ method }) => method === "POST").map(({ body }) => body.tags);
  expect(bodies).toEqual([["a"], ["a"]]);
  expect(patches().at(-1)?.body).toEqual({ add_tags: ["a", "b"] });
});

it("keeps tags that no page of the library could get", async () => {
  server.respond = ({ path }) => ({ body: path === "/items" ? { id: "i7", status: "queued" } : { page: null } });
  expect((await sendEntry(await added({ page: null, tags: ["a"] }))).kind).toBe("refused");
  expect((await entries())[0]?.problem).toContain("not in your library");
});
