import { expect, test } from "vitest";
import { ago, clock, hostOf, readingMinutes, wait, withoutScheme } from "../src/format";

const now = Date.UTC(2026, 0, 31, 12);
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString();

test.each([
  [10, "just now"],
  [120, "2 minutes ago"],
  [7200, "2 hours ago"],
  [86_400, "yesterday"],
  [86_400 * 40, "Dec 22, 2025"],
])("%d seconds ago in words", (seconds, words) => {
  expect(ago(before(seconds), now)).toBe(words);
});

test("in few letters where there is little room", () => {
  expect([120, 7200, 86_400].map((seconds) => ago(before(seconds), now, true))).toEqual([
    "2m ago",
    "2h ago",
    "yesterday",
  ]);
});

test("reading times are those of the server's lists", () => {
  expect([readingMinutes(1, null), readingMinutes(230, "en"), readingMinutes(1208, "en")]).toEqual([1, 1, 6]);
  expect([readingMinutes(1000, "zh-Hant"), readingMinutes(1001, "ja")]).toEqual([2, 3]);
});

test("times to wait and to listen", () => {
  expect([wait(before(-40), now), wait(before(-600), now), wait(before(5), now)]).toEqual(["40 s", "10 min", "0 s"]);
  expect([clock(5), clock(65), clock(3725)]).toEqual(["0:05", "1:05", "1:02:05"]);
});

test("hosts without www, and null for what is not a URL", () => {
  expect([hostOf("https://www.example.org/x"), hostOf("nonsense"), hostOf(null)]).toEqual(["example.org", null, null]);
});

test("a link as a title is never empty", () => {
  const titles = ["https://www.example.org/x", "http://a.example", "http://", "http://www.", "The web"];
  expect(titles.map(withoutScheme)).toEqual(["example.org/x", "a.example", "http://", "www.", "The web"]);
});
