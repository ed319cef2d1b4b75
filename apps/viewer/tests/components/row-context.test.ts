import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defineComponent, h, nextTick, type Ref, ref } from "vue";
import { provideRowContext, useFullRow } from "../../src/components/library/row/row-context";
import { server } from "../composables/server";
import { render } from "./render";

const rows = new Map<number, Ref<boolean>>();
let unmount = () => {};
/** Those that wait for the next frame. */
let frame: (() => void)[] = [];

const Row = defineComponent({
  props: { index: { type: Number, required: true } },
  setup({ index }) {
    rows.set(index, useFullRow());
    return () => null;
  },
});

async function openList(count: number, isScrollingFast: Ref<boolean>) {
  const shown = ref(Array.from({ length: count }, (_, index) => index));
  const List = defineComponent({
    setup() {
      provideRowContext(isScrollingFast);
      return () => shown.value.map((index) => h(Row, { key: index, index }));
    },
  });
  ({ unmount } = await render(List));
  return { shown };
}
const full = () => [...rows].filter(([, isFull]) => isFull.value).map(([index]) => index);
function paint(): void {
  const due = frame;
  frame = [];
  for (const act of due) act();
}

beforeEach(() => {
  rows.clear();
  frame = [];
  const api = server();
  api.get = () => ({ tags: [], positions: [] });
  vi.stubGlobal("requestAnimationFrame", (act: () => void) => frame.push(act));
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

test("rows of a list that is not scrolled fast are complete at once", async () => {
  await openList(6, ref(false));
  expect(full()).toEqual([0, 1, 2, 3, 4, 5]);
});

test("after a fast scroll rows are completed a few in each frame", async () => {
  const isFast = ref(true);
  await openList(6, isFast);
  expect(full()).toEqual([]);
  isFast.value = false;
  await nextTick();
  expect([full(), frame.length]).toEqual([[], 1]);
  paint();
  expect([full(), frame.length]).toEqual([[0, 1, 2, 3], 1]);
  paint();
  expect([full(), frame.length]).toEqual([[0, 1, 2, 3, 4, 5], 0]);
});

test("a row that has left the list is not completed, and takes no other row's turn", async () => {
  const isFast = ref(true);
  const { shown } = await openList(6, isFast);
  isFast.value = false;
  await nextTick();
  shown.value = [4, 5];
  await nextTick();
  paint();
  expect([full(), frame.length]).toEqual([[4, 5], 0]);
});

test("a row that is complete stays so when one scrolls fast again", async () => {
  const isFast = ref(false);
  await openList(1, isFast);
  isFast.value = true;
  await nextTick();
  expect(full()).toEqual([0]);
});
