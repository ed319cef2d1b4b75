import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { h, nextTick, shallowRef } from "vue";
import { type Filters, NO_FILTERS, type Search } from "../../src/api/filters";
import type { Entry } from "../../src/api/types";
import FilterChips from "../../src/components/library/filters/FilterChips.vue";
import BulkBar from "../../src/components/library/selection/BulkBar.vue";
import PlayerBar from "../../src/components/player/PlayerBar.vue";
import { useSelection } from "../../src/composables/organise/useSelection";
import { problem, track } from "../../src/player/state";
import type { Track } from "../../src/player/track";
import { server } from "../composables/server";
import { render } from "./render";

const content = Object.assign(document.createElement("main"), { id: "content", tabIndex: -1 });
const episode = {
  kind: "audio",
  mediaId: "m1",
  title: "One",
  source: { host: null },
  chapters: [],
} as unknown as Track;
let unmount = () => {};

async function show(component: object, props: Record<string, unknown> = {}) {
  const shown = await render(component, props);
  unmount = shown.unmount;
  const button = (name: string) => shown.root.querySelector<HTMLElement>(`[aria-label="${name}"]`) as HTMLElement;
  return { root: shown.root, button };
}
/** As with the keyboard. */
async function press(button: HTMLElement) {
  button.focus();
  button.click();
  await nextTick();
  await nextTick();
}

beforeEach(() => {
  document.body.append(content);
  server().get = () => [];
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
});
afterEach(() => {
  unmount();
  content.remove();
  [track.value, problem.value] = [null, ""];
  useSelection().clear();
  vi.unstubAllGlobals();
});

test("a player that is closed, or has a problem, leaves the focus within reach", async () => {
  track.value = episode;
  const { root, button } = await show(PlayerBar);
  button("Play").focus();
  problem.value = "It cannot be played.";
  await nextTick();
  await nextTick();
  expect(document.activeElement).toBe(root.querySelector(".broken button"));
  await press(button("Close the player"));
  expect(document.activeElement).toBe(content);
});

test("a selection that is cleared leaves the focus within reach", async () => {
  useSelection().selectAll([{ media_id: "m1", tags: [] } as unknown as Entry], false);
  const { button } = await show(BulkBar, { total: 1, hasMore: false, loaded: 1 });
  await press(button("Clear the selection"));
  expect(document.activeElement).toBe(content);
});

test("a filter that is removed leaves the focus at the next one", async () => {
  const search = shallowRef<Search>({ ...NO_FILTERS, q: "", starred: true, site: "example.org" });
  const onChange = (filters: Filters) => {
    search.value = { ...filters, q: "" };
  };
  const { button } = await show({ render: () => h(FilterChips, { search: search.value, onChange }) });
  await press(button("Remove the filter “Starred”"));
  expect(document.activeElement).toBe(button("Remove the filter “example.org”"));
});
