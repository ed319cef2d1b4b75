import { nextTick } from "vue";

/** Where a control removes itself, the keyboard goes on at what takes its place, not at the top of the page. */
export async function focusIfLost(find: () => HTMLElement | null | undefined): Promise<void> {
  await nextTick();
  if (document.activeElement === document.body) (find() ?? document.getElementById("content"))?.focus();
}
