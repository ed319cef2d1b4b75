import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mayReload, pageLoaded } from "../src/device/reload-once";

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.restoreAllMocks());

test("a page that cannot be loaded is loaded anew once", () => {
  expect([mayReload("/dashboard"), mayReload("/dashboard")]).toEqual([true, false]);
  expect(mayReload("/share")).toBe(true);
});

test("once it could be loaded, it may be loaded anew again", () => {
  mayReload("/dashboard");
  pageLoaded();
  expect(mayReload("/dashboard")).toBe(true);
});

test("where nothing can be remembered it is never loaded anew", () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("no", "SecurityError");
  });
  expect(mayReload("/dashboard")).toBe(false);
});
