import { vi } from "vitest";
import type { Fragment } from "../../src/api/types";

/** A text as the reader shows it: each paragraph is a fragment. */
export function showText(...paragraphs: string[]) {
  const body = document.createElement("div");
  body.innerHTML = paragraphs.map((words) => `<div class="prose"><p>${words}</p></div>`).join("");
  document.body.append(body);
  const fragments = paragraphs.map((words, idx) => ({ id: `f${idx}`, idx, canonical_text: words }) as Fragment);
  const nodes = [...body.querySelectorAll("p")].map((one) => one.firstChild as Text);
  return { body, fragments, nodes };
}

export function rangeIn(node: Node, start: number, end: number): Range {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}

/** What a browser draws over the text, by the names of the styles; until `vi.unstubAllGlobals()`. */
export function drawnHighlights(): Map<string, Set<Range>> {
  const drawn = new Map<string, Set<Range>>();
  vi.stubGlobal("CSS", { highlights: drawn });
  vi.stubGlobal(
    "Highlight",
    class extends Set<Range> {
      priority = 0;
      constructor(...ranges: Range[]) {
        super(ranges);
      }
    },
  );
  return drawn;
}

/** The words that are drawn in a style. */
export const wordsIn = (drawn: Map<string, Set<Range>>, name: string) =>
  [...(drawn.get(name) ?? [])].map((range) => range.toString());

/** jsdom lays nothing out: every range is at this height of the window, until the function is called. */
export function layOut(box: (range: Range) => { top: number; bottom: number }): () => void {
  const boxOf = (range: Range) => new DOMRect(0, box(range).top, 10, box(range).bottom - box(range).top);
  Range.prototype.getBoundingClientRect = function () {
    return boxOf(this);
  };
  Range.prototype.getClientRects = function () {
    return [boxOf(this)] as unknown as DOMRectList;
  };
  return () => {
    for (const name of ["getBoundingClientRect", "getClientRects"]) Reflect.deleteProperty(Range.prototype, name);
  };
}
