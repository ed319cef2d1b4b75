import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref, shallowRef } from "vue";
import type { Highlight } from "../../src/api/highlights";
import { useMarks } from "../../src/highlights/useMarks";
import { mount } from "../composables/mount";
import { listed } from "./listed";
import { drawnHighlights, showText, wordsIn } from "./shown-page";

let drawn: Map<string, Set<Range>>;
let unmount = () => {};
beforeEach(() => {
  drawn = drawnHighlights();
});
afterEach(() => {
  unmount();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const at = (fragment_idx: number, offset: number) => ({ fragment_idx, offset });
const first = (id: string, facts: Partial<Highlight> = {}) => listed(id, { start: at(0, 0), end: at(0, 3), ...facts });

async function openText(...paragraphs: string[]) {
  const page = shallowRef({ ...showText(...paragraphs), version: 1 });
  const highlights = shallowRef<Highlight[]>([]);
  const openId = ref<string | null>(null);
  const mounted = mount(() => useMarks(() => page.value, highlights, openId));
  unmount = mounted.unmount;
  const drawnNow = async () => {
    await new Promise((resolve) => setTimeout(resolve)); // after all that is under way
    return Object.fromEntries([...drawn.keys()].map((name) => [name, wordsIn(drawn, name)]));
  };
  await drawnNow();
  return { page, highlights, openId, drawnNow, ...mounted.result };
}

test("each is drawn in its colour, the open one as such, and nothing is left behind", async () => {
  const { highlights, openId, drawnNow } = await openText("One two", "Three");
  highlights.value = [first("a"), first("b", { color: "pink", start: at(0, 4), end: at(1, 5) })];
  openId.value = "b";
  expect(await drawnNow()).toEqual({
    "mark-yellow": ["One"],
    "mark-pink": ["two", "Three"],
    "mark-current": ["two", "Three"],
  });
  highlights.value = [first("a", { color: "blue" })];
  expect(await drawnNow()).toEqual({ "mark-blue": ["One"] });
  unmount();
  expect(drawn.size).toBe(0);
});

test("while the reader shows an earlier text than the highlights are in, they stay where they were", async () => {
  const { page, highlights, drawnNow } = await openText("One two");
  highlights.value = [first("a")];
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
  highlights.value = [first("a", { version: 2, start: at(0, 8), end: at(0, 11) })];
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
  page.value = { ...showText("Before, One two"), version: 2 };
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
});

test("in the next version one that was not taken along is where its words are, not where it was", async () => {
  const { page, highlights, drawnNow } = await openText("One two");
  highlights.value = [first("a", { quote: "One", suffix: " two" })];
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
  page.value = { ...showText("Before, One two"), version: 2 };
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
});

test("in another version they are found by their words, those whose words the text lacks are not", async () => {
  const { highlights, drawnNow } = await openText("They say that One is two");
  const far = { version: 7, start: at(0, 40), end: at(0, 43), quote: "One", prefix: "that ", suffix: " is" };
  highlights.value = [
    listed("a", far),
    listed("b", { ...far, prefix: "no " }),
    listed("c", { ...far, state: "orphaned" }),
  ];
  expect(await drawnNow()).toEqual({ "mark-yellow": ["One"] });
});

test("a text that is rewritten on the page is drawn over again", async () => {
  const { page, highlights, drawnNow } = await openText("One two");
  highlights.value = [first("a")];
  await drawnNow();
  const prose = page.value.body.querySelector(".prose") as HTMLElement;
  prose.innerHTML = "<p><b>One</b> two</p>";
  await drawnNow();
  const [range] = drawn.get("mark-yellow") ?? [];
  expect([range?.startContainer.parentElement?.tagName, range?.toString()]).toEqual(["B", "One"]);
});

test("a browser that cannot draw them says where they are", async () => {
  vi.stubGlobal("CSS", {});
  const { highlights, openId, marks, current } = await openText("One two");
  highlights.value = [first("a")];
  openId.value = "a";
  expect([marks.value.map(({ id }) => id), current.value.map(String)]).toEqual([["a"], ["One"]]);
  unmount();
});
