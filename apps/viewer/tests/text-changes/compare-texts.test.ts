import { expect, test } from "vitest";
import { compareTexts, type Paragraph } from "../../src/text-changes/compare-texts";

/** "Words that stay [-went-] {+came+}", a line per paragraph. */
const shown = (paragraphs: Paragraph[]) =>
  paragraphs.map((parts) =>
    parts
      .map(({ change, text }) =>
        change === "same" ? text : change === "removed" ? `[-${text.trim()}-] ` : `{+${text.trim()}+} `,
      )
      .join("")
      .trim(),
  );
const compared = (before: string, after: string) => shown(compareTexts(before.split("\n"), after.split("\n")));

test("texts that differ in white space only are the same", () => {
  expect(compared("One  two.\n\nThree.", "One two.\n Three.")).toEqual(["One two.", "Three."]);
});

test("whole words are marked", () => {
  expect(compared("The bridge is 300 m long.", "The bridge is 310 m long.")).toEqual([
    "The bridge is [-300-] {+310+} m long.",
  ]);
  expect(compared("It isn't well-known, she said.", "It's well-known, she said.")).toEqual([
    "[-It isn't-] {+It's+} well-known, she said.",
  ]);
});

test("scripts without spaces are compared by character", () => {
  expect(compared("東京は日本の首都です。", "京都は日本の古都です。")).toEqual([
    "[-東-] 京{+都+} は日本の[-首-] {+古+} 都です。",
  ]);
  // A vowel sign stays with its consonant.
  expect(compared("ที่นี่ดี", "ที่นั่นดี")[0]).not.toMatch(/[-+]\p{M}/u);
});

test("paragraphs come and go", () => {
  expect(compared("First.\nSecond goes away now.\nThird.", "First.\nThird.\nA fourth, at the end.")).toEqual([
    "First.",
    "[-Second goes away now.-]",
    "Third.",
    "{+A fourth, at the end.+}",
  ]);
});

test("a paragraph is compared with the one it became, also when others were added before it", () => {
  const before = "Intro.\nThe old bridge across the river was built by hand in 1890.\nOutro.";
  const after =
    "Intro.\nSomething entirely different, about a museum.\nThe old bridge across the river was built by machine in 1890.\nOutro.";
  expect(compared(before, after)).toEqual([
    "Intro.",
    "{+Something entirely different, about a museum.+}",
    "The old bridge across the river was built by [-hand-] {+machine+} in 1890.",
    "Outro.",
  ]);
});

test("lone words between changes are part of the change", () => {
  const before = "We met at seven in the old harbour of Bergen to sail out. It rained all day and nobody minded it.";
  const after = "They left by noon from the new station in Oslo to sail out. It rained all day and nobody minded it.";
  expect(compared(before, after)).toEqual([
    "[-We met at seven in the old harbour of Bergen-] {+They left by noon from the new station in Oslo+} " +
      "to sail out. It rained all day and nobody minded it.",
  ]);
});

test("an empty text, and nothing at all", () => {
  expect(compared("", "New.")).toEqual(["{+New.+}"]);
  expect(compared("Old.", "")).toEqual(["[-Old.-]"]);
  expect(compared("", "")).toEqual([]);
});

test("nothing is lost: both texts can be put together again", () => {
  const line = (seed: number) =>
    Array.from({ length: 40 }, (_, index) => `w${(seed * 31 + index * index * 7) % 97}`).join(" ");
  const before = Array.from({ length: 300 }, (_, index) => line(index));
  const after = before.flatMap((text, index) => {
    if (index % 7 === 0) return [];
    if (index % 5 === 0) return [text.replace(/w\d+ w\d+/, "changed words"), line(index + 1000)];
    return [text];
  });
  const found = compareTexts(before, after);
  const side = (left: "added" | "removed") =>
    found
      .map((parts) =>
        parts
          .filter(({ change }) => change !== left)
          .map(({ text }) => text)
          .join("")
          .trim(),
      )
      .filter((text) => text !== "");
  expect(side("added")).toEqual(before);
  expect(side("removed")).toEqual(after);
});

test("fifty thousand words that were all written anew are compared", () => {
  const text = (name: string) =>
    Array.from({ length: 1000 }, (_, line) =>
      Array.from({ length: 50 }, (_, word) => `${name}${(line * 17 + word * 13) % 4000}`).join(" "),
    );
  const found = compareTexts(text("a"), text("b"));
  expect(found).toHaveLength(2000);
  expect(new Set(found.flat().map(({ change }) => change))).toEqual(new Set(["removed", "added"]));
});
