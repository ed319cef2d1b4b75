import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import type { ListedHighlight } from "../../../src/api/highlights";
import HighlightDialogs from "../../../src/components/highlights/HighlightDialogs.vue";
import { useItemActions } from "../../../src/components/highlights/useItemActions";
import { server } from "../../composables/server";
import { render, renderSetup } from "../render";

const HIGHLIGHT = { id: "h1", media_id: "m1", quote: "They run.", color: "yellow", note: "Mine", tags: [] };
const highlight = HIGHLIGHT as unknown as ListedHighlight;
let page: Awaited<ReturnType<typeof render>>;
let list: Awaited<ReturnType<typeof renderSetup<ReturnType<typeof useItemActions>>>>;

beforeEach(async () => {
  server().get = () => [];
  HTMLDialogElement.prototype.showModal = () => {}; // which jsdom does not have
  HTMLDialogElement.prototype.close = () => {};
  list = await renderSetup(() => useItemActions());
  page = await render(HighlightDialogs);
});
afterEach(() => {
  page.unmount();
  list.unmount();
  vi.unstubAllGlobals();
});

const titles = () => [...page.root.querySelectorAll("dialog h2")].map((one) => one.textContent);

test("one dialog is open over a list: the one that was asked for last, until it is closed", async () => {
  expect(titles()).toEqual([]);
  list.result.tags(highlight);
  await nextTick();
  list.result.note(highlight);
  await nextTick();
  expect(titles()).toEqual(["Note"]);
  expect(page.root.querySelector("textarea")?.value).toBe("Mine");
  page.root.querySelector<HTMLElement>('[aria-label="Close"]')?.click();
  await nextTick();
  expect(titles()).toEqual([]);
});

test("a dialog is not open any more when its list is opened again", async () => {
  list.result.note(highlight);
  await nextTick();
  page.unmount();
  page = await render(HighlightDialogs);
  expect(titles()).toEqual([]);
});
