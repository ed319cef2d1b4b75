import { afterEach, expect, test } from "vitest";
import type { Fragment } from "../../src/api/types";
import { SentenceList } from "../../src/highlights/sentence-list";
import { ShownText } from "../../src/highlights/shown-text";

afterEach(() => document.body.replaceChildren());

function sentencesOf(...paragraphs: string[]) {
  const body = document.createElement("div");
  body.innerHTML = paragraphs.map((words) => `<div class="prose"><p>${words}</p></div>`).join("");
  document.body.append(body);
  const fragments = paragraphs.map((words, idx) => ({ id: `f${idx}`, idx, canonical_text: words }) as Fragment);
  const nodes = [...body.querySelectorAll("p")].map((one) => one.firstChild as Text);
  return { list: new SentenceList(new ShownText(body, fragments), "en"), nodes };
}

function selected(node: Text, start: number, end: number): Range {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}

test("from what is selected to the sentences after and before it", () => {
  const { list, nodes } = sentencesOf("One is here. Two is there.", "Three is last.");
  const [first, second] = nodes as [Text, Text];
  const words = (index: number) => list.rangeOf(index)?.toString();
  const whole = list.rangeOf(0) as Range;
  expect(words(list.after(whole))).toBe("Two is there.");
  expect(words(list.before(whole))).toBe("One is here.");
  expect(words(list.after(selected(first, 0, 3)))).toBe("One is here."); // the rest of its own sentence first
  expect(words(list.after(list.rangeOf(1) as Range))).toBe("Three is last.");
  expect(words(list.after(selected(second, 0, 14)))).toBe("Three is last.");
  expect(words(list.before(selected(second, 0, 5)))).toBe("Two is there.");
  expect(words(list.before(selected(second, 6, 8)))).toBe("Three is last.");
  expect(list.rangeOf(3)).toBeNull();
});

test("a text without sentences has none to select", () => {
  const { list } = sentencesOf("");
  expect(list.rangeOf(list.below(0))).toBeNull();
});
