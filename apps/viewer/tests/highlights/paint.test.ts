import { afterEach, expect, test, vi } from "vitest";
import { paint } from "../../src/highlights/paint";
import { drawnHighlights } from "./shown-page";

afterEach(() => vi.unstubAllGlobals());

test("a text may have more ranges than a call has room for", () => {
  const drawn = drawnHighlights();
  const ranges = Array.from({ length: 300_000 }, () => ({}) as Range);
  paint([{ id: "a", color: "blue", ranges }]);
  expect(drawn.get("mark-blue")?.size).toBe(300_000);
  expect(drawn.has("mark-pink")).toBe(false);
  paint([]);
  expect(drawn.size).toBe(0);
});
