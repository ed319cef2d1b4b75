import { expect, test } from "vitest";
import { isRightToLeft, layOut } from "../../src/highlights/card/layout";
import { ellipsized, unbreakableParts, wrapLines } from "../../src/highlights/card/wrap-lines";

/** Each character is one wide, those of Chinese and emoji two. */
const measure = (text: string) =>
  Array.from(text).reduce((sum, one) => sum + (/\p{sc=Han}|\p{Extended_Pictographic}/u.test(one) ? 2 : 1), 0);
const measures = {
  quote: (size: number) => (text: string) => measure(text) * size * 0.5,
  source: (text: string) => measure(text) * 15,
};

test("lines end between words, and a word keeps what belongs to it", () => {
  expect(wrapLines("The ships that passed (all forty), and “more”.", 12, measure)).toEqual([
    "The ships",
    "that passed",
    "(all forty),",
    "and “more”.",
  ]);
  expect(wrapLines("one\ntwo  three", 20, measure)).toEqual(["one", "two  three"]);
  expect(unbreakableParts("It cost $100—or more, well-known")).toEqual([
    "It ",
    "cost ",
    "$100—",
    "or ",
    "more, ",
    "well-",
    "known",
  ]);
});

test("Chinese is broken between words, and no line begins with a full stop", () => {
  const text = "灯塔是在一个夏天建成的。看守人数着过往的船只，并把它们记录下来。";
  const lines = wrapLines(text, 14, measure);
  expect(lines.join("")).toBe(text);
  expect(lines.every((line) => measure(line) <= 14)).toBe(true);
  expect(lines.filter((line) => /^[。，]/.test(line))).toEqual([]);
});

test("what is wider than a line is broken between characters, never inside one", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(wrapLines("https://example.org/a/very/long/address", 10, measure).every((line) => line.length <= 10)).toBe(
    true,
  );
  const lines = wrapLines(family.repeat(5), 2 * measure(family), measure);
  expect(lines).toEqual([family.repeat(2), family.repeat(2), family]);
  expect(wrapLines("e\u0301".repeat(4), 4, measure)).toEqual(["e\u0301e\u0301", "e\u0301e\u0301"]);
});

test("an ellipsis stays within the width", () => {
  expect(ellipsized("short", 10, measure)).toBe("short");
  expect(ellipsized("short", 10, measure, true)).toBe("short…");
  expect(ellipsized("much too long", 8, measure)).toBe("much to…");
});

test("the first letter decides the direction", () => {
  expect(isRightToLeft("“12. שלום” and more")).toBe(true);
  expect(isRightToLeft("مرحبا")).toBe(true);
  expect(isRightToLeft("Hello שלום")).toBe(false);
  expect(isRightToLeft("123 …")).toBe(false);
});

test("short quotes are large, long ones small, and longer ones make the picture higher until they are cut", () => {
  const of = (words: number) => layOut("word ".repeat(words), ["A title"], measures);
  const [short, long, longer, tooLong] = [of(8), of(110), of(200), of(2000)];
  expect(short.size).toBeGreaterThan(long.size);
  expect([short.height, long.height]).toEqual([1080, 1080]);
  expect(longer.height).toBeGreaterThan(1080);
  expect([short, long, longer].map(({ isCut }) => isCut)).toEqual([false, false, false]);
  expect(tooLong.isCut).toBe(true);
  expect(tooLong.height).toBeLessThanOrEqual(2400);
  expect(tooLong.lines.at(-1)).toMatch(/…$/);
});

test("a long title takes two lines", () => {
  const { source } = layOut("Words", ["A title of many words ".repeat(20), "A site"], measures);
  expect(source).toHaveLength(3);
  expect(source[1]).toMatch(/…$/);
});
