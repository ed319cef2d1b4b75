import { expect, test } from "vitest";
import shared from "../../../../python/tests/pure/vectors/canonical_text.json";
import { CodePoints, codePoints, unitsAt } from "../../src/positions/code-points";
import { ElementText } from "../../src/positions/element-text";

function shown(html: string): ElementText {
  const root = document.createElement("div");
  root.innerHTML = html;
  return new ElementText(root);
}

test("every character of a text is found on the page", () => {
  const text = shown(
    "<p>  One <b>two</b>\n three&nbsp;four </p><pre>a  b\n\n c</pre><table><tr><td>x</td><td>y</td></tr></table><p>🦓 zebra</p>",
  );
  expect(text.text).toBe("One two three four\na b\nc\nx\ty\n🦓 zebra");
  for (const word of ["One", "two", "three", "four", "a", "c", "x", "y", "zebra"]) {
    const at = text.text.lastIndexOf(word);
    expect(text.range(at, at + word.length)?.toString()).toBe(word);
  }
  expect(text.range(4, 13)?.toString().replace(/\s+/g, " ")).toBe("two three");
  expect(shown("").range(0, 1)).toBeNull();
});

test.each(shared.vectors.map(({ name, html }) => [name, html]))(
  "words of %s are where they are said to be",
  (_, html) => {
    const text = shown(html as string);
    for (const { 0: word, index } of text.text.matchAll(/[a-z]{3,}/gi)) {
      expect(
        text
          .range(index, index + word.length)
          ?.toString()
          .replace(/\s/g, ""),
      ).toBe(word);
    }
  },
);

test("offsets count code points", () => {
  expect(codePoints("a🦓b")).toBe(3);
  expect([0, 1, 2, 3, 9].map((offset) => unitsAt("a🦓b", offset))).toEqual([0, 1, 3, 4, 4]);
});

test.each(["", "plain", "a🦓b🦓🦓c", "🦓"])("many offsets of %j are what one is", (text) => {
  const points = new CodePoints(text);
  for (let offset = 0; offset <= codePoints(text); offset += 1) {
    expect(points.toUnits(offset)).toBe(unitsAt(text, offset));
    expect(points.fromUnits(unitsAt(text, offset))).toBe(offset);
  }
});

/** Every point between two characters of every text node. */
function* pointsOf(root: Node): Generator<{ node: Text; offset: number }> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null)
    for (let offset = 0; offset <= node.data.length; offset += 1) yield { node, offset };
}

const PAGES = [
  "<p>  One <b>two</b>\n three </p><ul><li>x<li> y</ul><pre>a  b\n\n c</pre>",
  "<table><tr><td>x</td><td><p>y</p>z</td></tr><tr><td></td><td>last</td></tr></table>",
  "<p>e\u0301te\u0301 <i>\u0301x</i> a\u0323\u0307 🦓\u200d🦓 שלום עולם ن\u0651</p><p>\u1112\u1161\u11ab한국\u11ab</p>",
  "<p>ab\u0001c\u00a0\u00a0d</p><p hidden>not shown</p><script>no()</script><p>end</p>",
];

test.each(PAGES)("what is selected in %j is found again, and is what stands there", (html) => {
  const root = document.createElement("div");
  root.innerHTML = html;
  const text = new ElementText(root);
  const points = [...pointsOf(root)];
  let found = 0;
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1)) {
      const range = document.createRange();
      range.setStart(from.node, from.offset);
      range.setEnd(to.node, to.offset);
      const span = text.spanOf(range);
      if (!span) continue;
      found += 1;
      const shown = text.range(span.start, span.end);
      expect(shown && text.spanOf(shown)).toEqual(span);
      const written = text.text.slice(span.start, span.end);
      expect(written).toBe(written.trim());
      // All of the words that were selected, and at most the rest of a letter at each end.
      const selected = new ElementText(range.cloneContents()).text.replace(/\s+/g, "");
      if (!/\p{M}|[\u1100-\u11ff]/u.test(html)) expect(written.replace(/\s+/g, "")).toBe(selected);
    }
  }
  expect(found).toBeGreaterThan(50);
});

test("a selection that begins and ends between elements is that of the text inside", () => {
  const root = document.createElement("div");
  root.innerHTML = "<p>One</p><p>two <b>three</b></p><p>four</p>";
  const text = new ElementText(root);
  const range = document.createRange();
  range.setStart(root, 1);
  range.setEnd(root, 2);
  expect(text.spanOf(range)).toEqual({ start: 4, end: 13 });
  range.selectNodeContents(root);
  expect(text.spanOf(range)).toEqual({ start: 0, end: text.text.length });
  range.setStart(root, 1);
  range.collapse(true);
  expect(text.spanOf(range)).toBeNull();
});
