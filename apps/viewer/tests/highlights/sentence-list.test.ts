import { afterEach, expect, test } from "vitest";
import { SentenceList } from "../../src/highlights/sentence-list";
import { ShownText } from "../../src/highlights/shown-text";
import { rangeIn, showText } from "./shown-page";

afterEach(() => document.body.replaceChildren());

function sentencesOf(...paragraphs: string[]) {
  const { body, fragments, nodes } = showText(...paragraphs);
  return { list: new SentenceList(new ShownText(body, fragments), "en"), nodes };
}

test("from what is selected to the sentences after and before it", () => {
  const { list, nodes } = sentencesOf("One is here. Two is there.", "Three is last.");
  const [first, second] = nodes as [Text, Text];
  const words = (index: number) => list.rangeOf(index)?.toString();
  const whole = list.rangeOf(0) as Range;
  expect(words(list.after(whole))).toBe("Two is there.");
  expect(words(list.before(whole))).toBe("One is here.");
  expect(words(list.after(rangeIn(first, 0, 3)))).toBe("One is here."); // the rest of its own sentence first
  expect(words(list.after(list.rangeOf(1) as Range))).toBe("Three is last.");
  expect(words(list.after(rangeIn(second, 0, 14)))).toBe("Three is last.");
  expect(words(list.before(rangeIn(second, 0, 5)))).toBe("Two is there.");
  expect(words(list.before(rangeIn(second, 6, 8)))).toBe("Three is last.");
  expect(list.rangeOf(3)).toBeNull();
});

test("a text without sentences has none to select", () => {
  const { list } = sentencesOf("");
  expect(list.rangeOf(list.below(0))).toBeNull();
});
