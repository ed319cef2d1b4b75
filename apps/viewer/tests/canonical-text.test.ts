import { describe, expect, test } from "vitest";
import shared from "../../../python/tests/pure/vectors/canonical_text.json";
import { canonicalText } from "../src/canonical-text";

describe("canonical text, by the vectors that Python passes too", () => {
  test.each(shared.vectors.map(({ name, html, text }) => [name, html, text]))("%s", (_, html, text) => {
    expect(canonicalText(html as string)).toBe(text);
  });
});
