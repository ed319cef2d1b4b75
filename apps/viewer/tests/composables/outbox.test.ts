import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leftInStorage, windows } from "../device/windows";
import { ADA, BEN, type Server, server } from "./server";

type Outbox = ReturnType<typeof import("../../src/composables/useOutbox").useOutbox>;
const RETRY_MS = 15_000;
let api: Server;
const { openPage, openWindow, close } = windows(async () =>
  (await import("../../src/composables/useOutbox")).useOutbox(),
);

const saved = () => api.changes().map(({ body }) => (body as { pasted_text: string }).pasted_text);
const shown = (outbox: Outbox) => outbox.outgoing.value.map((one) => [one.body.pasted_text, one.state]);
const text = (...words: string[]) => words.map((pasted_text) => ({ pasted_text }));

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  close();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("importing it starts nothing", async () => {
  vi.resetModules();
  const listening = vi.spyOn(window, "addEventListener");
  const waiting = vi.spyOn(window, "setInterval");
  await import("../../src/composables/useOutbox");
  // A queue of another test file may still be giving its lock back.
  const listened = listening.mock.calls.map(([type]) => String(type)).filter((type) => type !== "pagehide");
  const retried = waiting.mock.calls.filter(([, ms]) => ms === RETRY_MS);
  expect([listened, retried]).toEqual([[], []]);
  vi.restoreAllMocks();
});

test("items are sent one after the other, so that the first of the input is the newest", async () => {
  const outbox = await openPage();
  outbox.add(text("first", "second", "third"));
  expect(shown(outbox).map(([words]) => words)).toEqual(["first", "second", "third"]);
  await vi.waitFor(() => expect(saved()).toEqual(["third", "second", "first"]));
  expect(api.most).toBe(1);
});

test("what was added later stays above what still waits, also after a reload", async () => {
  api.isDown = true;
  const before = await openPage();
  before.add(text("a", "b"));
  await vi.waitFor(() => expect(shown(before)[1]).toEqual(["b", "waiting"]));
  await new Promise((resolve) => setTimeout(resolve, 2)); // another millisecond than the ones before
  before.add(text("c", "d"));
  const after = await openPage();
  expect(shown(after).map(([words]) => words)).toEqual(["c", "d", "a", "b"]);
  api.isDown = false;
  after.send();
  await vi.waitFor(() => expect(saved()).toEqual(["b", "a", "d", "c"]));
});

test("without a connection it waits and is retried, also without an online event", async () => {
  vi.useFakeTimers();
  api.isDown = true;
  const outbox = await openPage();
  outbox.add(text("later"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown(outbox)).toEqual([["later", "waiting"]]);
  api.isDown = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(saved()).toEqual(["later"]);
});

test("a refused item shows the reason, does not stop the others and stays until it is dismissed", async () => {
  api.refuse = (body) => body.pasted_text === "bad";
  const outbox = await openPage();
  outbox.add(text("good", "bad"));
  await vi.waitFor(() => expect(saved()).toEqual(["good"]));
  const again = await openPage();
  expect(again.outgoing.value).toMatchObject([{ state: "refused", message: "Not like this." }]);
  again.dismiss(again.outgoing.value[0]?.key ?? "");
  expect(shown(await openPage())).toEqual([]);
});

test("it is kept for its user and sent as no other", async () => {
  api.isDown = true;
  const ada = await openPage(ADA);
  ada.add(text("private"));
  await vi.waitFor(() => expect(ada.unsent.value).toBe(1));
  api.isDown = false;
  api.user = BEN;
  const ben = await openPage(BEN);
  expect(shown(ben)).toEqual([]);
  ben.add(text("of Ben"));
  await vi.waitFor(() => expect(saved()).toEqual(["of Ben"]));
  api.user = ADA;
  await openPage(ADA);
  await vi.waitFor(() => expect(saved()).toEqual(["of Ben", "private"]));
});

test("a page that does not know of another sign-in keeps it", async () => {
  api.user = BEN;
  const outbox = await openPage(ADA);
  outbox.add(text("of Ada"));
  await vi.waitFor(() => expect(api.requests.length).toBe(1));
  await vi.waitFor(() => expect(shown(outbox)).toEqual([["of Ada", "waiting"]]));
  expect(saved()).toEqual([]);
  expect(shown(await openPage(ADA))[0]?.[0]).toBe("of Ada");
});

test("what was added before the user was known belongs to that user", async () => {
  const outbox = await openPage(null);
  outbox.add(text("early"));
  expect(api.requests).toEqual([]);
  outbox.setUser(ADA);
  outbox.send();
  await vi.waitFor(() => expect(saved()).toEqual(["early"]));
  expect(outbox.unowned.value).toBe(0);
});

test("what such a page left behind has no user and needs a decision", async () => {
  (await openPage(null)).add(text("early"));
  const ben = await openPage(BEN);
  expect([ben.unowned.value, shown(ben)]).toEqual([1, []]);
  ben.decideUnowned("notMine");
  expect((await openPage(BEN)).unowned.value).toBe(0);
  const ada = await openPage(ADA);
  ada.decideUnowned("mine");
  await vi.waitFor(() => expect(ada.unsent.value).toBe(0)); // or it would still be sending in the next test
  expect(saved()).toEqual(["early"]);
  expect((await openPage(ADA)).unowned.value).toBe(0);
});

test("another window's items are not overwritten, and what it sent is dropped here", async () => {
  api.isDown = true;
  const one = await openPage();
  one.add(text("of this window"));
  const key = `nexus.outbox.${ADA}.k2`;
  localStorage.setItem(key, JSON.stringify({ body: { pasted_text: "of another" }, at: "2026-01-01", index: 0 }));
  window.dispatchEvent(new StorageEvent("storage", { key }));
  expect(shown(one).map(([words]) => words)).toEqual(["of this window", "of another"]);
  localStorage.removeItem(key);
  window.dispatchEvent(new StorageEvent("storage", { key }));
  expect(shown(one).map(([words]) => words)).toEqual(["of this window"]);
});

test("a list that was requested after an item was sent replaces its row", async () => {
  const outbox = await openPage();
  outbox.add(text("sent"));
  await vi.waitFor(() => expect(shown(outbox)).toEqual([["sent", "sent"]]));
  const forgetSent = outbox.forgetSentAfterLoad();
  forgetSent();
  expect(shown(outbox)).toEqual([]);
});

test("after a response that breaks off it is sent again", async () => {
  api.breaksOff = true;
  const outbox = await openPage();
  outbox.add(text("cut off"));
  await vi.waitFor(() => expect(saved()).toEqual(["cut off"]));
  await vi.waitFor(() => expect(shown(outbox)).toEqual([["cut off", "waiting"]]));
  api.breaksOff = false;
  outbox.send();
  await vi.waitFor(() => expect(shown(outbox)).toEqual([["cut off", "sent"]]));
});

test("two windows without browser locks send a text once", async () => {
  expect("locks" in navigator).toBe(false);
  let respond = () => {};
  api.holdUntil = new Promise((resolve) => {
    respond = resolve;
  });
  const one = await openPage();
  one.add(text("once"));
  await vi.waitFor(() => expect(saved()).toEqual(["once"]));
  const other = await openWindow(); // sees it in storage, while it is on its way
  expect(shown(other)).toEqual([["once", "waiting"]]);
  other.add(text("of the other"));
  respond();
  await vi.waitFor(() => expect(saved()).toEqual(["once", "of the other"])); // by whichever window is sending
  await vi.waitFor(() => expect(other.unsent.value).toBe(0));
  await vi.waitFor(() => expect(leftInStorage()).toEqual([])); // nor does a lease stay behind
  expect(saved()).toEqual(["once", "of the other"]);
});

test("a window that was closed while sending delays the others only for a while", async () => {
  vi.useFakeTimers();
  const lease = `nexus.lease.nexus-outbox-${ADA}`;
  localStorage.setItem(lease, JSON.stringify({ holder: "gone", until: Date.now() + 20_000 }));
  const outbox = await openPage();
  outbox.add(text("later"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(saved()).toEqual([]);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(saved()).toEqual(["later"]);
});

/** Storage that is full, but for what is already there. */
function fillStorage(): void {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
}

test("what could not be stored says so and is sent anyway", async () => {
  api.isDown = true;
  const outbox = await openPage();
  outbox.add(text("stored"));
  fillStorage();
  outbox.add(text("not stored"));
  expect(outbox.outgoing.value.map((one) => [one.body.pasted_text, one.isStored])).toEqual([
    ["not stored", false],
    ["stored", true],
  ]);
  await vi.waitFor(() => expect(api.requests.length).toBeGreaterThan(0));
  api.isDown = false;
  await vi.waitFor(() => {
    outbox.send();
    expect(saved()).toEqual(["stored", "not stored"]);
  });
});

test("an unowned item stays until it is stored for its user, or sent", async () => {
  (await openPage(null)).add(text("early"));
  fillStorage();
  api.isDown = true;
  const ada = await openPage(ADA);
  ada.decideUnowned("mine");
  expect(ada.outgoing.value).toMatchObject([{ body: { pasted_text: "early" }, isStored: false }]);
  vi.restoreAllMocks();
  expect((await openPage(ADA)).unowned.value).toBe(1); // nothing was lost with the page
  api.isDown = false;
  const again = await openPage(ADA);
  again.decideUnowned("mine");
  await vi.waitFor(() => expect(saved()).toEqual(["early"]));
  await vi.waitFor(() => expect(again.unsent.value).toBe(0));
  expect((await openPage(ADA)).unowned.value).toBe(0);
});
