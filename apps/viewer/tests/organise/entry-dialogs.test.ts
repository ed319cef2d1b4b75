import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import type { Entry } from "../../src/api/types";
import EntryDialogs from "../../src/components/library/dialogs/EntryDialogs.vue";
import { closeDialog, openDialog, openedDialog } from "../../src/components/library/dialogs/open-dialog";
import * as texts from "../../src/texts";
import { render } from "../components/render";
import { server } from "../composables/server";

const entry = { media_id: "m1", item_id: "i1", title: "A text", own_title: null, note: null, tags: [] };
let unmount = () => {};

beforeEach(() => {
  server().get = () => [];
  HTMLDialogElement.prototype.showModal = () => {}; // which jsdom does not have
  HTMLDialogElement.prototype.close = () => {};
});
afterEach(() => {
  closeDialog();
  unmount();
  vi.unstubAllGlobals();
});

test("one dialog is open over the library: the one that was asked for last, until it is closed", async () => {
  const shown = await render(EntryDialogs);
  unmount = shown.unmount;
  const titles = () => [...shown.root.querySelectorAll("dialog h2")].map((one) => one.textContent);
  expect(titles()).toEqual([]);
  openDialog({ kind: "tag", entries: [entry as unknown as Entry] });
  await nextTick();
  expect(titles()).toHaveLength(1);
  openDialog({ kind: "edit", entry: entry as unknown as Entry });
  await nextTick();
  expect(titles()).toEqual([texts.organise.edit]);
  shown.root.querySelector<HTMLElement>(`[aria-label="${texts.dialog.close}"]`)?.click();
  await nextTick();
  expect(titles()).toEqual([]);
  expect(openedDialog.value).toBeNull();
});
