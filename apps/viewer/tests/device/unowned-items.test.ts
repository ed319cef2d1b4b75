import { beforeEach, expect, test } from "vitest";
import { unownedItems } from "../../src/device/unowned-items";

const KEY = "nexus.outbox";
const item = (key: string) => ({ key, body: { url: `https://${key}.example/` }, at: "2026-01-02T03:04:05Z" });
const keys = () => unownedItems.read().map(({ key }) => key);

beforeEach(() => localStorage.clear());

test("the latest that were added come first", () => {
  expect(unownedItems.add([item("a")])).toBe(true);
  unownedItems.add([item("b"), item("c")]);
  expect(keys()).toEqual(["b", "c", "a"]);
});

test("those that somebody takes are removed, the others stay", () => {
  unownedItems.add([item("a"), item("b")]);
  unownedItems.remove(new Set(["a", "unknown"]));
  expect(keys()).toEqual(["b"]);
});

test.each(["{", "5", '{"key": "a"}', "null"])("where storage has %s, there are none", (stored) => {
  localStorage.setItem(KEY, stored);
  expect(keys()).toEqual([]);
  unownedItems.add([item("a")]);
  expect(keys()).toEqual(["a"]);
});

test("what is no item is left out", () => {
  localStorage.setItem(KEY, JSON.stringify([null, "x", { key: "half" }, item("whole")]));
  expect(keys()).toEqual(["whole"]);
});

test("a user who declined is not asked again, another one is", () => {
  unownedItems.add([item("a")]);
  unownedItems.decline("ada");
  expect([unownedItems.isDeclinedBy("ada"), unownedItems.isDeclinedBy("ben")]).toEqual([true, false]);
  expect(keys()).toEqual(["a"]);
});
