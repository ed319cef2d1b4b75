import { expect, test } from "vitest";
import type { Fragment } from "../../src/api/types";
import { findPassage } from "../../src/highlights/find-passage";
import { listed } from "./listed";

const fragments = (...texts: string[]) =>
  texts.map((canonical_text, index) => ({ id: `f${index}`, idx: index + 3, canonical_text }) as Fragment);
const at = (fragment_idx: number, offset: number) => ({ fragment_idx, offset });
const quoted = (quote: string, prefix = "", suffix = "") => listed("a", { quote, prefix, suffix });
const LONG = "because of the ice that nobody saw.";

test("the same words in the same context are found, across fragments and in code points", () => {
  const text = fragments("🦓 It was late.", "They run, they run.");
  expect(findPassage(text, quoted("late.\nThey", "was ", " run,"))).toEqual({ start: at(3, 9), end: at(4, 4) });
  expect(findPassage(text, quoted("run", "They ", ","))).toEqual({ start: at(4, 5), end: at(4, 8) });
  expect(findPassage(text, quoted("run", "they ", "."))).toEqual({ start: at(4, 15), end: at(4, 18) });
});

test("without their context only long words are found, and only where they are once", () => {
  expect(findPassage(fragments(`Closed ${LONG}`), quoted(LONG, "Else "))).toEqual({
    start: at(3, 7),
    end: at(3, 7 + LONG.length),
  });
  expect(findPassage(fragments("Closed because."), quoted("because", "Else "))).toBeNull();
  expect(findPassage(fragments(`${LONG} ${LONG}`), quoted(LONG, "Else "))).toBeNull();
  expect(findPassage(fragments("Other words."), quoted(LONG))).toBeNull();
});
