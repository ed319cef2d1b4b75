import { afterEach, expect, test, vi } from "vitest";
import { languageOr, sentenceFrom, sentencesOf } from "../../src/positions/sentences";

const TEXT = "One is here. Two is there!\nA heading\nThree? “Four.” And five";
const words = (text: string, lang?: string) => sentencesOf(text, lang).map(({ start, end }) => text.slice(start, end));

afterEach(() => vi.unstubAllGlobals());

test("sentences end with their line", () => {
  const expected = ["One is here.", "Two is there!", "A heading", "Three?", "“Four.”", "And five"];
  expect(words(TEXT)).toEqual(expected);
  vi.stubGlobal("Intl", { getCanonicalLocales: Intl.getCanonicalLocales }); // an older browser
  expect(words(TEXT)).toEqual(expected);
  expect(words("他来了。她走了。", "zh")).toEqual(["他来了。", "她走了。"]);
  expect(words("")).toEqual([]);
});

test("the next sentence that begins, else the last one", () => {
  const from = (index: number) => {
    const found = sentenceFrom(TEXT, index);
    return found && TEXT.slice(found.start, found.end);
  };
  expect(from(0)).toBe("One is here.");
  expect(from(3)).toBe("Two is there!");
  expect(from(TEXT.indexOf("Two"))).toBe("Two is there!");
  expect(from(TEXT.indexOf("is there"))).toBe("A heading");
  expect(from(TEXT.length - 1)).toBe("And five");
  expect(sentenceFrom("", 0)).toBeNull();
});

test("a language that is none is read as another", () => {
  expect([languageOr("de-AT"), languageOr("not a language"), languageOr(null)]).toEqual(["de-AT", "en", "en"]);
});
