import { afterEach, beforeEach, expect, test } from "vitest";
import BaseDialog from "../../../src/components/ui/BaseDialog.vue";
import { openDialogs } from "../../../src/components/ui/open-dialogs";
import { render } from "../render";

let unmounts: (() => void)[] = [];
let calls: string[] = [];
const nameOf = (dialog: HTMLDialogElement) => dialog.querySelector("h2")?.textContent ?? "";

beforeEach(() => {
  [unmounts, calls] = [[], []];
  // jsdom has no modals.
  HTMLDialogElement.prototype.showModal = function () {
    calls.push(`open ${nameOf(this)}`);
  };
  HTMLDialogElement.prototype.close = function () {
    calls.push(`close ${nameOf(this)}`);
  };
});
afterEach(() => {
  for (const unmount of unmounts) unmount();
});

async function open(title: string) {
  const { unmount } = await render(BaseDialog, { title });
  let isOpen = true;
  const close = () => {
    if (isOpen) unmount();
    isOpen = false;
  };
  unmounts.push(close);
  return close;
}

test("dialogs are the browser's own modals, in the order in which they were opened", async () => {
  await open("First");
  await open("Second");
  expect(calls).toEqual(["open First", "open Second"]);
  expect(openDialogs.map(nameOf)).toEqual(["First", "Second"]);
});

test("one that goes is closed, so that it restores the focus, and the others stay", async () => {
  const closeFirst = await open("First");
  const closeSecond = await open("Second");
  closeFirst();
  expect(calls.at(-1)).toBe("close First");
  expect(openDialogs.map(nameOf)).toEqual(["Second"]);
  closeSecond();
  expect(openDialogs).toEqual([]);
});
