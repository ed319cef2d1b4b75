import { afterEach, expect, test } from "vitest";
import type { Fragment } from "../../src/api/types";
import { canonicalText } from "../../src/canonical-text";
import { ShownText } from "../../src/highlights/shown-text";

afterEach(() => document.body.replaceChildren());

const fragmentOf = (html: string, idx: number, canonical = canonicalText(html)) =>
  ({ id: `f${idx}`, idx, html_sanitized: html, canonical_text: canonical }) as Fragment;

function article(html: string) {
  const body = document.createElement("div");
  body.innerHTML = `<div class="prose">${html}</div>`;
  document.body.append(body);
  return { body, text: new ShownText(body, [fragmentOf(html, 0)]) };
}

/** A transcript as it is shown: without the names of the speakers, and with times between its lines. */
function transcript(...lines: [speaker: string, words: string][]) {
  const body = document.createElement("div");
  body.innerHTML = lines
    .map(
      ([, words], i) =>
        `<p><button>0:0${i}</button></p><div id="cue-f${i}"><div class="prose"><p>${words}</p></div></div>`,
    )
    .join("");
  document.body.append(body);
  const fragments = lines.map(([speaker, words], i) => fragmentOf(`<p>${words}</p>`, i, `${speaker}: ${words}`));
  return { body, text: new ShownText(body, fragments) };
}

function select(from: Node, start: number, to: Node, end: number): Range {
  const range = document.createRange();
  range.setStart(from, start);
  range.setEnd(to, end);
  return range;
}

const wordsOf = (ranges: Range[]) => ranges.map((range) => range.toString());

test("a selection across paragraphs, cells and code is a passage of the canonical text, and back", () => {
  const { body, text } = article("<p>One 🦓 two</p><table><tr><td>x</td><td>y</td></tr></table><pre>a  b\nc</pre>");
  const [first, code] = [body.querySelector("p")?.firstChild, body.querySelector("pre")?.firstChild];
  const passage = text.passageOf(select(first as Node, 4, code as Node, 4));
  expect(passage).toEqual({
    start: { fragment_idx: 0, offset: 4 },
    end: { fragment_idx: 0, offset: 17 },
    quote: "🦓 two\nx\ty\na b",
    prefix: "One ",
    suffix: "\nc",
  });
  expect(wordsOf(text.rangesOf(passage as NonNullable<typeof passage>))).toEqual(["🦓 twoxya  b"]);
});

test("offsets in a line of a transcript are those of its text, which begins with the speaker", () => {
  const { body, text } = transcript(["Ann", "Hello there"], ["Bob", "Good 🦓 day"], ["Ann", "Bye"]);
  const [one, two, three] = [...body.querySelectorAll(".prose p")].map((line) => line.firstChild as Node) as [
    Node,
    Node,
    Node,
  ];
  const passage = text.passageOf(select(one, 6, two, 7));
  expect(passage).toMatchObject({
    start: { fragment_idx: 0, offset: 11 },
    end: { fragment_idx: 1, offset: 11 },
    quote: "there\nBob: Good 🦓",
    prefix: "Ann: Hello ",
    suffix: " day",
  });
  expect(wordsOf(text.rangesOf(passage as NonNullable<typeof passage>))).toEqual(["there", "Good 🦓"]);
  expect(text.passageOf(select(one, 0, three, 3))?.quote).toBe("Hello there\nBob: Good 🦓 day\nAnn: Bye");
});

test("what is selected outside of the text is no passage", () => {
  const { body, text } = article("<p>One</p><p> </p>");
  const before = document.createElement("h1");
  before.textContent = "The title";
  body.before(before);
  expect(text.passageOf(select(before.firstChild as Node, 0, before.firstChild as Node, 3))).toBeNull();
  const paragraph = body.querySelector("p")?.firstChild as Node;
  expect(text.passageOf(select(before.firstChild as Node, 4, paragraph, 2))?.quote).toBe("On");
  expect(text.passageOf(select(paragraph, 2, paragraph, 2))).toBeNull();
});

test("a range that a text does not have is nowhere", () => {
  const { text } = article("<p>One</p>");
  const at = (fragment_idx: number, offset: number) => ({ fragment_idx, offset });
  expect(text.rangesOf({ start: at(0, 3), end: at(0, 3) })).toEqual([]);
  expect(text.rangesOf({ start: at(4, 0), end: at(4, 3) })).toEqual([]);
  expect(wordsOf(text.rangesOf({ start: at(0, 1), end: at(0, 99) }))).toEqual(["ne"]);
});
