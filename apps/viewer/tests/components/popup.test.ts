import { beforeEach, expect, test } from "vitest";
import { nextTick, ref } from "vue";
import { usePopup } from "@/components/ui/usePopup";
import { startShortcuts, useShortcuts } from "@/composables/useShortcuts";
import { mount } from "../composables/mount";

beforeEach(startShortcuts);

test("Escape closes the open menu, and only then does what it does elsewhere", async () => {
  const cleared: string[] = [];
  const { result: isOpen, unmount } = mount(() => {
    useShortcuts({ Escape: () => cleared.push("selection") });
    return usePopup(ref(null), ref(null));
  });
  const press = () =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  await nextTick();
  isOpen.value = true;
  press();
  expect([isOpen.value, cleared]).toEqual([false, []]);
  press();
  expect(cleared).toEqual(["selection"]);
  unmount();
});
