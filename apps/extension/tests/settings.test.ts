import { expect, it } from "vitest";
import { readServer } from "../src/shared/settings";

it.each([
  ["https://nexus.example.org/", "https://nexus.example.org"],
  [" nexus.example.org ", "https://nexus.example.org"],
  ["nexus.example.org:8443/base/", "https://nexus.example.org:8443/base"],
  ["127.0.0.1:8000", "http://127.0.0.1:8000"],
  ["localhost", "http://localhost"],
  ["http://nas.local:8000/?a=1#b", "http://nas.local:8000"],
])("reads %s as %s", (typed, server) => {
  expect(readServer(typed)).toBe(server);
});

it.each(["", "   ", "ftp://a.example", "javascript:alert(1)", "https://user:pw@a.example", "not a server"])(
  "refuses %s",
  (typed) => {
    expect(readServer(typed)).toBeNull();
  },
);
