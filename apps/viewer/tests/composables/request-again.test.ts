import { useQuery } from "@tanstack/vue-query";
import { afterEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import { requestUpdatedByEvents } from "../../src/composables/request-again";
import { ALL_HIGHLIGHTS, REVIEW } from "../../src/highlights/all/updates";
import { mount } from "./mount";

const NAMES = ["receipt", "media", "entry", "read", "highlights", ALL_HIGHLIGHTS, REVIEW, "tags", "saved-searches"];
let unmount = () => {};
afterEach(() => unmount());

/** Shows queries of these names. Each response is what the server had when it was requested; `respond` lets all come. */
function show(...names: string[]) {
  const requested: string[] = [];
  let stored = "before";
  let respond = () => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  async function fetchStored(name: string): Promise<string> {
    const read = stored;
    requested.push(name);
    await held;
    return read;
  }
  const staleTime = Number.POSITIVE_INFINITY;
  const { result, queryClient, ...mounted } = mount(() =>
    names.map((name) => useQuery({ queryKey: [name, "x"], queryFn: () => fetchStored(name), staleTime })),
  );
  unmount = mounted.unmount;
  const change = () => {
    stored = "after";
  };
  return { queryClient, requested, change, respond, shown: () => result.map((query) => query.data.value) };
}

test("what events keep up to date is requested again once they come, the lists of highlights with it", async () => {
  const { queryClient, requested, change, respond, shown } = show(...NAMES, "library");
  respond();
  await vi.waitFor(() => expect(new Set(shown())).toEqual(new Set(["before"])));
  change();
  await requestUpdatedByEvents(queryClient);
  await vi.waitFor(() => expect(shown()).toEqual([...NAMES.map(() => "after"), "before"]));
  expect(requested).toEqual([...NAMES, "library", ...NAMES]); // the library is merged into instead
});

test("a first request that was read before the connection for events is followed by another one", async () => {
  const { queryClient, requested, change, respond, shown } = show("tags");
  expect(requested).toHaveLength(1);
  change();
  const again = [1, 2, 3].map(() => requestUpdatedByEvents(queryClient));
  await nextTick();
  expect(requested).toHaveLength(1);
  respond();
  await Promise.all(again);
  await vi.waitFor(() => expect(shown()).toEqual(["after"]));
  expect(requested).toHaveLength(2); // one for all of them
});

test("a first request that fails is not requested again: its retry reads what there is then", async () => {
  let fail = () => {};
  const failing = new Promise((_, reject) => {
    fail = () => reject(new Error("broken"));
  });
  const fetchTags = vi.fn(() => failing);
  const { queryClient, ...mounted } = mount(() => useQuery({ queryKey: ["tags"], queryFn: fetchTags }));
  unmount = mounted.unmount;
  const again = requestUpdatedByEvents(queryClient);
  await nextTick();
  fail();
  await again;
  expect(fetchTags).toHaveBeenCalledOnce();
});
