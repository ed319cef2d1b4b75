import { expect, test } from "vitest";
import { nextTick, ref } from "vue";
import { usePopup } from "@/components/ui/usePopup";
import { useShortcuts } from "@/composables/useShortcuts";
import { mount } from "./mount";

test("Escape closes the open menu, and only then does what it does elsewhere", async () => {
  const cleared: string[] = [];
  const { result: isOpen, unmount } = mount(() => {
    useShortcuts({ Escape: () => cleared.push("selection") });
    return usePopup(ref(null), ref(null));
  });
  const escape = () =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  await nextTick();
  isOpen.value = true;
  escape();
  expect([isOpen.value, cleared]).toEqual([false, []]);
  escape();
  expect(cleared).toEqual(["selection"]);
  unmount();
});
