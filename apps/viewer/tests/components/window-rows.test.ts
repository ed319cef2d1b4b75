import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createApp, defineComponent, h, KeepAlive, nextTick, ref, useTemplateRef } from "vue";
import { useWindowRows } from "@/components/ui/useWindowRows";

const ROW = 100;
let rows: ReturnType<typeof useWindowRows>;

const List = defineComponent(() => {
  const list = useTemplateRef<HTMLElement>("list");
  const size = { count: () => 50, keyOf: String, estimate: () => ROW, overscan: 0, near: () => {} };
  rows = useWindowRows(list, size);
  return () => h("ul", { ref: "list" });
});
const Text = defineComponent(() => () => h("article"));

const isReading = ref(false);
const scrollTo = vi.fn();
let unmount = () => {};

beforeEach(() => {
  isReading.value = false;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  vi.stubGlobal("scrollTo", scrollTo);
  const root = document.createElement("div");
  document.body.append(root);
  const app = createApp({ render: () => h(KeepAlive, () => h(isReading.value ? Text : List)) });
  app.mount(root);
  unmount = () => {
    app.unmount();
    root.remove();
  };
  scrollTo.mockClear();
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

const scrolled = (to: number) => {
  vi.stubGlobal("scrollY", to);
  window.dispatchEvent(new Event("scroll"));
};
const read = async (is: boolean) => {
  isReading.value = is;
  await nextTick();
};

it("scrolls to a row while it is shown", () => {
  rows.rows.value.scrollToIndex(40);
  expect(scrollTo).toHaveBeenCalled();
});

it("does not move another page that is shown instead", async () => {
  await read(true);
  rows.rows.value.scrollToIndex(40);
  expect(scrollTo).not.toHaveBeenCalled();
});

it("does not follow another page, and is right again when it is shown", async () => {
  scrolled(500);
  expect(rows.rows.value.scrollOffset).toBe(500);
  await read(true);
  scrolled(3000);
  expect(rows.rows.value.scrollOffset).toBe(500);
  await read(false);
  expect(rows.rows.value.scrollOffset).toBe(3000);
  scrolled(0);
  expect(rows.rows.value.scrollOffset).toBe(0);
});
