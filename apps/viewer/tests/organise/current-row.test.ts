import { expect, test } from "vitest";
import { nextTick, shallowRef } from "vue";
import type { Entry } from "@/api/types";
import { useCurrentRow } from "@/components/library/selection/current-row";
import { mount } from "../composables/mount";

const list = (ids: string) => [...ids].map((media_id) => ({ media_id, item_id: null }) as Entry);

test("the keys act on the same entry wherever it moves, and on its neighbour when it has left", async () => {
  const shown = shallowRef(list("abcd"));
  const { result, unmount } = mount(() => useCurrentRow(shown));
  const after = async (ids: string) => {
    shown.value = list(ids);
    await nextTick();
    return [result.key.value, result.index.value];
  };
  expect(result.index.value).toBe(-1);
  result.index.value = 1;
  expect(await after("xyabcd")).toEqual(["b", 3]);
  expect(await after("xyad")).toEqual(["d", 3]);
  expect(await after("xya")).toEqual(["a", 2]);
  expect(await after("")).toEqual([null, -1]);
  unmount();
});
