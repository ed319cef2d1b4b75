import { afterEach, beforeEach, expect, test, vi } from "vitest";
import HitsBar from "../../src/components/reader/hits/HitsBar.vue";
import { startShortcuts } from "../../src/composables/useShortcuts";
import { render } from "./render";

let unmount = () => {};
beforeEach(startShortcuts);
afterEach(() => {
  unmount();
  document.body.replaceChildren();
});

test("Escape lets go of selected words before it ends the search", async () => {
  const onClose = vi.fn();
  const props = { q: "ship", index: 0, count: 2, isComplete: true, around: "the ship", problem: "", onClose };
  unmount = (await render(HitsBar, props)).unmount;
  const text = document.body.appendChild(document.createElement("p"));
  text.textContent = "Words to highlight";
  window.getSelection()?.selectAllChildren(text);
  const leave = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  leave();
  expect([window.getSelection()?.isCollapsed, onClose.mock.calls.length]).toEqual([true, 0]);
  leave();
  expect(onClose).toHaveBeenCalledOnce();
});
