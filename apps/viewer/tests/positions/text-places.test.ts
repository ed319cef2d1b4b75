import { expect, test } from "vitest";
import shared from "../../../../python/tests/pure/vectors/canonical_text.json";
import { codePoints, TextPlaces, unitsAt } from "../../src/positions/text-places";

function shown(html: string): TextPlaces {
  const root = document.createElement("div");
  root.innerHTML = html;
  return new TextPlaces(root);
}

test("every character of a text is found on the page", () => {
  const places = shown(
    "<p>  One <b>two</b>\n three&nbsp;four </p><pre>a  b\n\n c</pre><table><tr><td>x</td><td>y</td></tr></table><p>🦓 zebra</p>",
  );
  expect(places.text).toBe("One two three four\na b\nc\nx\ty\n🦓 zebra");
  for (const word of ["One", "two", "three", "four", "a", "c", "x", "y", "zebra"]) {
    const at = places.text.lastIndexOf(word);
    expect(places.range(at, at + word.length)?.toString()).toBe(word);
  }
  expect(places.range(4, 13)?.toString().replace(/\s+/g, " ")).toBe("two three");
  expect(shown("").range(0, 1)).toBeNull();
});

test.each(shared.vectors.map(({ name, html }) => [name, html]))(
  "words of %s are where they are said to be",
  (_, html) => {
    const places = shown(html as string);
    for (const { 0: word, index } of places.text.matchAll(/[a-z]{3,}/gi)) {
      expect(
        places
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
