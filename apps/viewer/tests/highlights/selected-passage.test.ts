import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Fragment } from "@/api/types";
import { canonicalText } from "@/canonical-text";
import { ShownText } from "@/highlights/shown-text";
import { useSelectedPassage } from "@/highlights/useSelectedPassage";
import { mount } from "../composables/mount";

const SETTLED_MS = 250;
const HTML = "<p>One two three</p>";
let unmount = () => {};
let words: Node;

function openText() {
  const body = document.createElement("div");
  body.innerHTML = `<div class="prose">${HTML}</div>`;
  document.body.append(body);
  words = body.querySelector("p")?.firstChild as Node;
  const fragment = { id: "f0", idx: 0, html_sanitized: HTML, canonical_text: canonicalText(HTML) } as Fragment;
  const text = new ShownText(body, [fragment]);
  const mounted = mount(() => useSelectedPassage(() => text));
  unmount = mounted.unmount;
  return mounted.result;
}
function select(start: number, end: number): void {
  window.getSelection()?.setBaseAndExtent(words, start, words, end);
  document.dispatchEvent(new Event("selectionchange"));
}
function pointer(name: string, pointerType: string): void {
  document.dispatchEvent(Object.assign(new Event(name), { pointerType }));
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  unmount();
  window.getSelection()?.removeAllRanges();
  document.body.replaceChildren();
  vi.useRealTimers();
});

test("a selection counts once it has not changed for a moment, and is known at once where it is asked for", () => {
  const { selected, now } = openText();
  select(0, 3);
  vi.advanceTimersByTime(SETTLED_MS - 1);
  select(4, 7);
  vi.advanceTimersByTime(SETTLED_MS - 1);
  expect([selected.value, now()?.quote]).toEqual([null, "two"]);
  vi.advanceTimersByTime(1);
  expect(selected.value?.passage.quote).toBe("two");
});

test("while the mouse is held down nothing is selected yet; a finger leaves handles", () => {
  const { selected } = openText();
  pointer("pointerdown", "mouse");
  select(0, 3);
  vi.advanceTimersByTime(SETTLED_MS);
  expect(selected.value).toBeNull();
  pointer("pointerup", "mouse");
  vi.advanceTimersByTime(SETTLED_MS);
  expect(selected.value?.passage.quote).toBe("One");
  pointer("pointerdown", "touch");
  select(4, 7);
  vi.advanceTimersByTime(SETTLED_MS);
  expect(selected.value?.passage.quote).toBe("two");
});

test("what is cleared is selected no more, neither here nor in the browser", () => {
  const { selected, now, clear } = openText();
  select(0, 3);
  vi.advanceTimersByTime(SETTLED_MS);
  clear();
  expect([selected.value, now(), window.getSelection()?.isCollapsed]).toEqual([null, null, true]);
});
