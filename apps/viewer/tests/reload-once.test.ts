import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mayReload, pageLoaded } from "../src/device/reload-once";

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.restoreAllMocks());

test("a page that cannot be loaded is reloaded once", () => {
  expect([mayReload("/dashboard"), mayReload("/dashboard")]).toEqual([true, false]);
  expect(mayReload("/share")).toBe(true);
});

test("after a page was loaded, it may be reloaded again", () => {
  mayReload("/dashboard");
  pageLoaded();
  expect(mayReload("/dashboard")).toBe(true);
});

test("without storage it is never reloaded", () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("no", "SecurityError");
  });
  expect(mayReload("/dashboard")).toBe(false);
});
