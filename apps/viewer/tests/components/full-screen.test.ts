import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useFullScreen } from "../../src/components/reader/extras/full-screen";
import { mount } from "../composables/mount";

const root = document.documentElement;
let reader: ReturnType<typeof mount<ReturnType<typeof useFullScreen>>>;
/** What the browser shows in full screen. */
let shown: Element | null;

const toShow = (element: Element | null) => {
  shown = element;
  document.dispatchEvent(new Event("fullscreenchange"));
};
const press = (key: string) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));

beforeEach(() => {
  shown = null;
  Object.defineProperty(document, "fullscreenElement", { configurable: true, get: () => shown });
  root.requestFullscreen = vi.fn(async () => toShow(root));
  document.exitFullscreen = vi.fn(async () => toShow(null));
  reader = mount(useFullScreen);
});
afterEach(async () => {
  await reader.result.leave();
  reader.unmount();
  document.body.replaceChildren();
  Reflect.deleteProperty(document, "fullscreenElement");
  Reflect.deleteProperty(root, "requestFullscreen");
  Reflect.deleteProperty(document, "exitFullscreen");
});

test("the text and the browser go into full screen and back together", async () => {
  const { isFull, toggle } = reader.result;
  toggle();
  await vi.waitFor(() => expect(shown).toBe(root));
  expect([isFull.value, root.hasAttribute("data-full-screen")]).toEqual([true, true]);
  toggle();
  await vi.waitFor(() => expect(shown).toBeNull());
  expect([isFull.value, root.hasAttribute("data-full-screen")]).toEqual([false, false]);
});

test("who leaves the browser's full screen leaves that of the text", async () => {
  reader.result.toggle();
  await vi.waitFor(() => expect(shown).toBe(root));
  toShow(null);
  expect(reader.result.isFull.value).toBe(false);
});

test.each([
  ["has none", undefined],
  ["refuses it", async () => Promise.reject(new TypeError("Permissions check failed"))],
])("where the browser %s, the text has the page to itself, and Escape ends that", (_why, request) => {
  Object.assign(root, { requestFullscreen: request });
  const { isFull, toggle } = reader.result;
  toggle();
  expect(isFull.value).toBe(true);
  press("a");
  expect(isFull.value).toBe(true);
  press("Escape");
  expect(isFull.value).toBe(false);
  expect(document.exitFullscreen).not.toHaveBeenCalled();
});

test("Escape in a dialog closes that alone", () => {
  Object.assign(root, { requestFullscreen: undefined });
  reader.result.toggle();
  const dialog = document.createElement("dialog");
  dialog.setAttribute("open", "");
  document.body.append(dialog);
  press("Escape");
  expect(reader.result.isFull.value).toBe(true);
  dialog.remove();
  press("Escape");
  expect(reader.result.isFull.value).toBe(false);
});

test("once the reader is closed, keys are nobody's", () => {
  Object.assign(root, { requestFullscreen: undefined });
  reader.result.toggle();
  reader.unmount();
  press("Escape");
  expect(reader.result.isFull.value).toBe(true);
});
