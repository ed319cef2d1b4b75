import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import type { Fragment } from "../../src/api/types";
import { rangeIn, useSentences } from "../../src/positions/useSentences";
import { layOut, showText } from "../highlights/shown-page";

const LINE = window.innerHeight / 4;
const scrolledTo = vi.fn();
let removeLayout = () => {};
beforeEach(() => {
  vi.stubGlobal("scrollTo", scrolledTo);
});
afterEach(() => {
  removeLayout();
  removeLayout = () => {};
  scrolledTo.mockClear();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const at = (element: Element | null, top: number, bottom: number) =>
  Object.assign(element as Element, { getBoundingClientRect: () => new DOMRect(0, top, 10, bottom - top) });

/** Two lines of which the first begins `top` above the line that is read. */
function transcript(top: number) {
  const body = document.createElement("div");
  body.innerHTML = `<div id="cue-a"><p class="prose">Hello there.</p></div><div id="cue-b"><p class="prose">Good day.</p></div>`;
  document.body.append(body);
  const [one, two] = [body.querySelector("#cue-a"), body.querySelector("#cue-b")];
  at(one, LINE - top, LINE - top + 100);
  at(two, LINE - top + 100, LINE - top + 200);
  const fragments = [
    { id: "a", idx: 4, canonical_text: "Ann: Hello there." },
    { id: "b", idx: 5, canonical_text: "Bob: Good day." },
  ] as Fragment[];
  return { fragments, sentences: useSentences(ref(body), () => ({ version: 3, fragments, lang: "en" })), body };
}

test("of a transcript it is the line that begins where one reads, else the next one", () => {
  expect(transcript(0).sentences.here()).toEqual({ version: 3, fragment: 4, offset: 0 });
  document.body.replaceChildren();
  expect(transcript(50).sentences.here()).toEqual({ version: 3, fragment: 5, offset: 0 });
  document.body.replaceChildren();
  expect(transcript(150).sentences.here()).toEqual({ version: 3, fragment: 5, offset: 0 }); // there is no later one
  document.body.replaceChildren();
  expect(transcript(500).sentences.here()).toBeNull();
});

/** A text of which each character stands at a height of its own. */
function article(top: (offset: number) => number) {
  const { body, fragments } = showText("🦓 One. Two. Three.");
  at(body.querySelector(".prose"), 0, 5000);
  removeLayout = layOut(({ startOffset, endOffset }) => ({ top: top(startOffset), bottom: top(endOffset - 1) + 10 }));
  return useSentences(ref(body), () => ({ version: 3, fragments, lang: "en" }));
}

test("of a text it is the first sentence that begins below the line, in code points", () => {
  const sentences = article((offset) => LINE + (offset < 4 ? -20 : 20)); // within "One."
  expect(sentences.here()).toEqual({ version: 3, fragment: 0, offset: 7 });
});

test("a sentence is shown at the line that is read, and one of another version or text is not", () => {
  const sentences = article((offset) => 1000 + offset);
  expect(sentences.show({ version: 3, fragment: 0, offset: 7 })).toBe(true);
  expect(scrolledTo).toHaveBeenCalledWith({ top: 1008 - LINE }); // the first character takes two units
  expect(sentences.show({ version: 2, fragment: 0, offset: 7 })).toBe(false);
  expect(sentences.show({ version: 3, fragment: 9, offset: 0 })).toBe(false);
  expect(scrolledTo).toHaveBeenCalledOnce();
});

test("a line of a transcript is shown as a whole, whatever the offset in its text", () => {
  const { sentences, body, fragments } = transcript(0);
  expect(sentences.show({ version: 3, fragment: 5, offset: 999 })).toBe(true);
  expect(scrolledTo).toHaveBeenCalledWith({ top: 100 });
  expect(rangeIn(body, fragments, { fragment: 5, start: 3, end: 4 })?.toString()).toBe("Good day.");
  expect(rangeIn(body, fragments, { fragment: 9, start: 0, end: 4 })).toBeNull();
});

test("before there is a text one is nowhere", () => {
  const sentences = useSentences(ref(null), () => null);
  expect([sentences.here(), sentences.show({ version: 1, fragment: 0, offset: 0 })]).toEqual([null, false]);
});
