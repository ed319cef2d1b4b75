import { expect, test } from "vitest";
import { ownPath } from "../../src/device/leave-page";

test.each([
  ["/read/m1?save=i1#p3", "/read/m1?save=i1#p3"],
  ["/", "/"],
  ["//evil.example/", "/"],
  ["/\\evil.example/", "/"],
  ["/\t/evil.example/", "/"],
  ["/\n\\evil.example/", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  ["http://[", "/"],
  [null, "/"],
  [["/a", "/b"], "/"],
])("%j leads to %j", (address, path) => {
  expect(ownPath(address)).toBe(path);
});
