import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../src/api/types";
import EntryMenu from "../../src/components/library/row/EntryMenu.vue";
import { useToasts } from "../../src/composables/useToasts";
import { server } from "../composables/server";
import { render } from "./render";

const entry = { media_id: "in-the-menu", item_id: null, title: "To be deleted", tags: [] } as unknown as Entry;
let close = () => {};

async function openMenu(address: string) {
  const { toasts, act } = useToasts();
  const { root, router, unmount } = await render(EntryMenu, { entry, isWhole: true }, address);
  close = () => {
    for (const toast of [...toasts]) act(toast);
    unmount();
  };
  const buttons = [...root.querySelectorAll("button")];
  return { toasts, router, choose: (name: string) => buttons.find((one) => one.textContent?.trim() === name)?.click() };
}

beforeEach(() => {
  localStorage.clear();
  server();
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

test("what is deleted in the reader's menu is not left open", async () => {
  const { toasts, router, choose } = await openMenu("/read/in-the-menu");
  choose("Delete");
  await vi.waitFor(() => expect(router.currentRoute.value.name).toBe("library"));
  expect(toasts).toHaveLength(1);
});
