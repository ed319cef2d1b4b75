import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userStorage } from "../../src/device/user-storage";

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

test("a value that cannot be read hides no others", () => {
  const storage = userStorage<number>("numbers", "ada");
  storage.put("one", 1);
  localStorage.setItem("numbers.ada.broken", "{");
  storage.put("two", 2);
  expect([...storage.read()].sort()).toEqual([
    ["one", 1],
    ["two", 2],
  ]);
  expect(storage.get("broken")).toBeNull();
});

test("values are one user's", () => {
  userStorage<number>("numbers", "ada").put("one", 1);
  expect(userStorage<number>("numbers", "ben").read().size).toBe(0);
});

test("where storage is forbidden, nothing is stored or found", () => {
  vi.spyOn(globalThis, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("not allowed", "SecurityError");
  });
  const storage = userStorage<number>("numbers", "ada");
  expect(storage.put("one", 1)).toBe(false);
  expect(storage.read().size).toBe(0);
});
