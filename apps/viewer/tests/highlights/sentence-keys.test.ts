import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startShortcuts } from "../../src/composables/useShortcuts";
import { ShownText } from "../../src/highlights/shown-text";
import { useSentenceKeys } from "../../src/highlights/useSentenceKeys";
import { mount } from "../composables/mount";
import { layOut, showText } from "./shown-page";

let unmount = () => {};
let removeLayout = () => {};
const scrolled = vi.fn();
beforeEach(startShortcuts);
beforeEach(() => {
  removeLayout = layOut(() => ({ top: 300, bottom: 320 }));
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 10, 1000));
  vi.stubGlobal("scrollBy", scrolled);
});
afterEach(() => {
  unmount();
  removeLayout();
  vi.restoreAllMocks();
  scrolled.mockClear();
  window.getSelection()?.removeAllRanges();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const selected = () => String(window.getSelection());

function openText(...paragraphs: string[]) {
  const { body, fragments, nodes } = showText(...paragraphs);
  const text = new ShownText(body, fragments);
  const [make, close] = [vi.fn(), vi.fn()];
  unmount = mount(() => useSentenceKeys({ text: () => text, lang: () => "en", make, close })).unmount;
  /** Whether the key did something here. */
  function press(...keys: string[]): boolean {
    const handled = keys.map((key) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
      return event.defaultPrevented;
    });
    return handled.every(Boolean);
  }
  return { press, make, close, node: nodes[0] as Text };
}

test("h selects the sentence that is read, and then highlights what is selected", () => {
  const { press, make } = openText("One is here. Two is there.");
  press("h");
  expect([selected(), make.mock.calls.length]).toEqual(["One is here.", 0]);
  press("h");
  expect(make).toHaveBeenCalledOnce();
});

test("arrows choose another sentence, H takes the next one along", () => {
  const { press } = openText("One is here. Two is there.", "Three is last.");
  press("h", "ArrowDown");
  expect(selected()).toBe("Two is there.");
  press("H");
  expect(selected()).toBe("Two is there.Three is last.");
  press("ArrowUp");
  expect(selected()).toBe("One is here.");
});

test("arrows scroll where nothing was chosen by key, and again once something else is selected", () => {
  const { press, node } = openText("One is here. Two is there.");
  expect(press("ArrowDown")).toBe(false);
  press("h");
  expect(press("ArrowDown")).toBe(true);
  window.getSelection()?.setBaseAndExtent(node, 0, node, 3); // by mouse
  expect([press("ArrowDown"), selected()]).toEqual([false, "One"]);
  press("H");
  window.getSelection()?.removeAllRanges();
  expect(press("ArrowDown")).toBe(false);
});

test("a sentence that is out of sight is brought there, one that is in sight does not move", () => {
  const { press } = openText("One is here. Two is there.");
  press("h");
  expect(scrolled).not.toHaveBeenCalled();
  removeLayout = layOut(() => ({ top: 5000, bottom: 5020 }));
  press("ArrowDown");
  expect(scrolled).toHaveBeenCalledOnce();
});

test("a text without sentences has no keys that select, and one that is gone none at all", () => {
  const { press, make, close } = openText("");
  press("h", "H");
  expect([selected(), make.mock.calls.length]).toEqual(["", 0]);
  press("Escape");
  expect(close).toHaveBeenCalledOnce();
  unmount();
  expect([press("h"), press("Escape")]).toEqual([false, false]);
});
