import { describe, expect, test } from "vitest";
import shared from "../../../python/tests/pure/vectors/canonical_text.json";
import { canonicalText, lineAt } from "../src/canonical-text";

describe("canonical text, by the vectors that Python passes too", () => {
  test.each(shared.vectors.map(({ name, html, text }) => [name, html, text]))("%s", (_, html, text) => {
    expect(canonicalText(html as string)).toBe(text);
  });
});

test("an offset in the text leads to its line", () => {
  const html =
    "<h2>Head 🦓</h2><div><p>One <b>two</b><br>three</p></div><table><tr><td>a</td><td>b</td></tr></table><pre>x\ny</pre>";
  const root = document.createElement("div");
  root.innerHTML = html;
  const text = canonicalText(html);
  const lineOf = (word: string) => lineAt(root, text, [...text.slice(0, text.indexOf(word))].length)?.textContent;
  expect(["Head", "two", "three", "b", "y"].map(lineOf)).toEqual(["Head 🦓", "One ", "three", "a", "x\ny"]);
  expect(lineAt(root, text, 0)?.textContent).toBe("Head 🦓");
  expect(lineAt(document.createElement("div"), "", 5)).toBeNull();
});
