import { expect, test } from "vitest";
import type { Fragment } from "../../src/api/types";
import { charactersIn, spokenTextOf, utterancesOf } from "../../src/player/spoken-text";
import { voiceFor } from "../../src/player/voices";

const fragment = (idx: number, canonical_text: string) => ({ idx, canonical_text }) as Fragment;

test("sentences in their order, with the paragraphs they begin", () => {
  const { sentences, paragraphs } = spokenTextOf(
    [fragment(0, "🦓 One. Two.\nThree.\n* * *\nFour."), fragment(3, "Five. Six.")],
    "en",
  );
  expect(sentences.map(({ text }) => text)).toEqual(["🦓 One.", "Two.", "Three.", "Four.", "Five.", "Six."]);
  expect(paragraphs).toEqual([0, 2, 3, 4]);
  expect(sentences[1]).toEqual({ text: "Two.", fragment: 0, start: 8, end: 12, offset: 7, before: 7 });
  expect(sentences[5]).toMatchObject({ fragment: 3, start: 6, before: 27 });
  expect(charactersIn(sentences)).toBe(31);
});

test("a long sentence is spoken in parts, and no word is lost", () => {
  const long = `It begins, ${"and then it goes on and on with words ".repeat(12)}until it ends.`;
  const parts = utterancesOf(long);
  expect(parts.length).toBeGreaterThan(2);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(180);
  expect(parts.join(" ")).toBe(long);
  expect(utterancesOf("漢".repeat(400)).join("")).toBe("漢".repeat(400));
  expect(utterancesOf("Short.")).toEqual(["Short."]);
});

test("the language of the text chooses the voice", () => {
  const voice = (lang: string, isDefault = false, localService = true) => ({ lang, default: isDefault, localService });
  const voices = [voice("en-US", true), voice("de-AT", false, false), voice("de_DE"), voice("en-GB")];
  expect(voiceFor(voices, "de")?.lang).toBe("de_DE");
  expect(voiceFor(voices, "de-AT")?.lang).toBe("de-AT");
  expect(voiceFor(voices, "en-GB")?.lang).toBe("en-GB");
  expect(voiceFor(voices, null)?.lang).toBe("en-US");
  expect(voiceFor(voices, "fr")).toBeNull();
  expect(voiceFor([], null)).toBeNull();
});
