// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { TagField } from "../src/popup/tag-field";

let field: TagField;
let input: HTMLInputElement;

beforeEach(() => {
  document.body.innerHTML = `<form><input id="tag" list="known-tags"><datalist id="known-tags"></datalist><ul id="tags"></ul></form>`;
  field = new TagField();
  input = document.querySelector("input") as HTMLInputElement;
});

const shown = () => [...document.querySelectorAll("#tags button")].map((one) => one.textContent);
/** Whether the browser would do with the key what it does by itself. */
function press(key: string): boolean {
  return input.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
}
function type(text: string, key: string): boolean {
  input.value = text;
  return press(key);
}

it("adds a tag with Enter or a comma, and empties itself", () => {
  expect(type(" sea/tides ", "Enter")).toBe(false);
  expect(type("boats", ",")).toBe(false);
  expect(shown()).toEqual(["sea/tides ×", "boats ×"]);
  expect(input.value).toBe("");
  expect(field.tags).toEqual(["sea/tides", "boats"]);
});

it("sends the form with Enter where nothing is typed", () => {
  expect(type("  ", "Enter")).toBe(true);
  expect(field.tags).toEqual([]);
});

it("leaves other keys to the browser", () => {
  expect(type("sea", "s")).toBe(true);
  expect(shown()).toEqual([]);
});

it("has each tag once, whatever its letters", () => {
  field.tags = ["Sea"];
  type("sea", "Enter");
  expect(shown()).toEqual(["Sea ×"]);
});

it("takes a suggestion when it is chosen, not while one types", () => {
  input.value = "boats";
  input.dispatchEvent(new InputEvent("input", { inputType: "insertText" }));
  expect(shown()).toEqual([]);
  input.dispatchEvent(new InputEvent("input", { inputType: "insertReplacementText" }));
  expect(shown()).toEqual(["boats ×"]);
  input.value = "sea";
  input.dispatchEvent(new Event("input")); // as Chromium tells it
  expect(shown()).toEqual(["boats ×", "sea ×"]);
});

it("counts what is still being typed", () => {
  field.tags = ["sea"];
  input.value = "half";
  expect(field.tags).toEqual(["sea", "half"]);
});

it("removes a tag with its button", () => {
  field.tags = ["sea", "boats"];
  document.querySelector<HTMLElement>('[aria-label="Remove tag sea"]')?.click();
  expect(field.tags).toEqual(["boats"]);
});

it("offers the tags of the library, as text", () => {
  field.suggest(["sea", "<b>"]);
  expect([...document.querySelectorAll("option")].map(({ value }) => value)).toEqual(["sea", "<b>"]);
});
