import { expect, test } from "vitest";
import { ownAddress } from "../../src/device/leave-page";

const { origin } = window.location;

test.each([
  ["/read/m1?save=i1#p3", `${origin}/read/m1?save=i1#p3`],
  ["/", `${origin}/`],
  ["/.//evil.example/", `${origin}//evil.example/`],
  ["//evil.example/", "/"],
  ["/\\evil.example/", "/"],
  ["/\t/evil.example/", "/"],
  ["/\n\\evil.example/", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  ["http://[", "/"],
])("%j leads to %j", (address, expected) => {
  expect(ownAddress(address)).toBe(expected);
});

test.each([[undefined], [null], [["//evil.example", "/b"]]])("%j leads to the library", (address) => {
  expect(ownAddress(address)).toBe(`${origin}/`);
});
