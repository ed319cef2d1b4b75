import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type App, createApp, h } from "vue";
import { startShortcuts, useShortcuts } from "../../src/composables/useShortcuts";

let app: App;
const type = (where: string, key: string) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.querySelector(where)?.dispatchEvent(event);
  return event.defaultPrevented;
};
beforeEach(startShortcuts);
afterEach(() => {
  app.unmount();
  document.body.replaceChildren();
});

test("Space and Enter activate the focused element; elsewhere they are shortcuts", () => {
  const pressed = vi.fn();
  app = createApp({
    setup: () => {
      useShortcuts({ " ": pressed, Enter: pressed, j: pressed });
      return () => h("div", [h("button", [h("i")]), h("a"), h("summary"), h("span", { role: "tab" }), h("p")]);
    },
  });
  const page = document.body.appendChild(document.createElement("div"));
  app.mount(page);
  for (const where of ["button", "button i", "a", "summary", "[role=tab]"]) {
    expect([where, type(where, " "), type(where, "Enter")]).toEqual([where, false, false]);
  }
  expect(pressed).not.toHaveBeenCalled();
  expect([type("p", " "), type("p", "Enter"), type("button", "j")]).toEqual([true, true, true]);
  expect(pressed).toHaveBeenCalledTimes(3);
});

test("a field without text leaves the keys to the shortcuts, except those that change it", () => {
  const pressed = vi.fn();
  app = createApp({
    setup: () => {
      useShortcuts({ " ": pressed, e: pressed, ArrowRight: pressed });
      return () =>
        h(
          "div",
          ["checkbox", "range", "radio", "search"].map((kind) => h("input", { type: kind })),
        );
    },
  });
  app.mount(document.body.appendChild(document.createElement("div")));
  const used = (kind: string) => [" ", "e", "ArrowRight"].map((key) => type(`[type=${kind}]`, key));
  expect(used("checkbox")).toEqual([false, true, true]);
  expect(used("range")).toEqual([false, true, false]);
  expect(used("radio")).toEqual([false, true, false]);
  expect(used("search")).toEqual([false, false, false]);
});
