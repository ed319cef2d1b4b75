import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref, shallowRef } from "vue";
import type { Fragment } from "../../src/api/types";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";
import { drawnHighlights, layOut, showText, wordsIn } from "../highlights/shown-page";

let api: Server;
let drawn: Map<string, Set<Range>>;
let unmount = () => {};
let removeLayout = () => {};
const scrolled = vi.fn();
beforeEach(() => {
  api = server();
  drawn = drawnHighlights();
  removeLayout = layOut(() => ({ top: 5000, bottom: 5020 }));
  vi.stubGlobal("scrollBy", scrolled);
});
afterEach(() => {
  unmount();
  removeLayout();
  scrolled.mockClear();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const hit = (fragment_idx: number, start: number) => ({ fragment_idx, start, end: start + 3 });
const settled = () => new Promise((resolve) => setTimeout(resolve));

interface Opened {
  at?: { fragment: number; offset: number };
  hasMoved?: boolean;
  q?: string;
}

async function openText(hits: object[], { at, hasMoved = false, q = "owl" }: Opened = {}) {
  vi.resetModules(); // whose requests they are is known once per page
  const { useTextHits } = await import("../../src/components/reader/hits/useTextHits");
  const { body, fragments } = showText("An owl and an owl", "One owl");
  api.get = (path) => (path.endsWith("/hits") ? { version: 2, hits, is_complete: true } : {});
  const [searched, shown] = [ref(q), shallowRef<{ version: number; fragments: Fragment[] } | null>(null)];
  const page = { q: searched, body: ref(body), shown: () => shown.value, at: at ?? null, hasMoved: () => hasMoved };
  const mounted = mount(() => useTextHits("m1", page));
  unmount = mounted.unmount;
  /** Once the text is on the page. */
  async function show(version = 2): Promise<void> {
    shown.value = { version, fragments };
    await nextTick();
    await vi.waitFor(() => expect(api.underWay).toBe(0));
    await settled();
  }
  const current = () =>
    [...(drawn.get("current-hit") ?? [])].map(({ startContainer, startOffset }) => [
      startContainer.textContent,
      startOffset,
    ]);
  return { ...mounted.result, body, searched, show, current };
}

const ALL = [hit(0, 3), hit(0, 14), hit(1, 4)];

test("all hits are marked once the text is there, and one goes around among them", async () => {
  const { show, next, previous, index, current } = await openText(ALL);
  expect([drawn.get("hit")?.size ?? 0, api.requests]).toEqual([0, []]);
  await show();
  expect([wordsIn(drawn, "hit"), current()]).toEqual([["owl", "owl", "owl"], [["An owl and an owl", 3]]]);
  expect(scrolled).not.toHaveBeenCalled(); // no hit was opened
  previous();
  expect([index.value, current()]).toEqual([2, [["One owl", 4]]]);
  next();
  expect([index.value, scrolled.mock.calls.length]).toEqual([0, 2]);
});

test("one begins at the hit that was opened, and does not move a reader who has moved", async () => {
  const at = { fragment: 0, offset: 10 };
  const first = await openText(ALL, { at });
  await first.show();
  expect([first.index.value, scrolled.mock.calls.length]).toEqual([1, 1]);
  unmount();
  const second = await openText(ALL, { at, hasMoved: true });
  await second.show();
  expect([second.index.value, scrolled.mock.calls.length]).toEqual([1, 1]);
});

test("hits of another version than the one that is shown are not marked", async () => {
  const { show, hits, next } = await openText(ALL);
  await show(1);
  next();
  expect([hits.value, wordsIn(drawn, "hit"), scrolled.mock.calls.length]).toEqual([[], [], 0]);
  await show(2);
  expect(hits.value).toHaveLength(3);
});

test("a search that is ended leaves no marks, also when its answer comes then", async () => {
  const { show, searched, body, hits } = await openText(ALL);
  let respond = () => {};
  api.holdReads = new Promise((resolve) => {
    respond = resolve;
  });
  const shown = show();
  await vi.waitFor(() => expect(api.underWay).toBe(1));
  searched.value = "";
  respond();
  await shown;
  expect([hits.value, wordsIn(drawn, "hit")]).toEqual([[], []]);
  expect(body.classList.contains("has-hits")).toBe(true); // the paragraph of the search result is not marked then
});

test("what failed is told while it is searched for, and a text that is gone has no marks", async () => {
  const { show, error, searched } = await openText(ALL);
  api.isDown = true;
  await show();
  expect(error.value).toMatchObject({ code: "offline" });
  searched.value = "";
  expect(error.value).toBeNull();
  unmount();
  expect(drawn.size).toBe(0);
});
