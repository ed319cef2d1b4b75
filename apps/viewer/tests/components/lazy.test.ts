import { afterEach, expect, test, vi } from "vitest";
import { defineComponent, h, nextTick } from "vue";
import { lazy, loadLazy } from "@/components/ui/lazy";
import { useToasts } from "@/composables/useToasts";
import * as texts from "@/texts";
import { render } from "./render";

const Shown = defineComponent({
  props: ["word"],
  emits: ["close"],
  setup: (props) => () => h("p", String(props.word)),
});
const { toasts, dismissAll } = useToasts();
afterEach(dismissAll);

test("once it is loaded, it is there at once, with its properties", async () => {
  const load = vi.fn(async () => ({ default: Shown }));
  const Later = lazy(load);
  await loadLazy();
  await loadLazy();
  expect(load).toHaveBeenCalledOnce();
  const { root, unmount } = await render(() => h(Later, { word: "there" }));
  expect(root.textContent).toBe("there");
  unmount();
});

test("what cannot be loaded is told and closed, and tried again the next time", async () => {
  const close = vi.fn();
  const load = vi.fn(async () => ({ default: Shown })).mockRejectedValueOnce(new TypeError("Failed to fetch"));
  const Later = lazy(load);
  const first = await render(() => h(Later, { word: "there", onClose: close }));
  await vi.waitFor(() => expect(toasts.map(({ message }) => message)).toEqual([texts.errors.partFailed]));
  expect([first.root.textContent, close.mock.calls.length]).toEqual(["", 1]);
  first.unmount();
  const second = await render(() => h(Later, { word: "there", onClose: close }));
  await vi.waitFor(async () => {
    await nextTick();
    expect(second.root.textContent).toBe("there");
  });
  second.unmount();
});
