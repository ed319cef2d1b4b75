import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import { mount } from "../composables/mount";
import { ADA, respond, type Server, server } from "../composables/server";
import { listed } from "./listed";
import { TEXT } from "./queue-page";

const OTHER = "22222222-0000-4000-8000-000000000002";
const PLACE = {
  version: 1,
  start: { fragment_idx: 0, offset: 0 },
  end: { fragment_idx: 0, offset: 4 },
  quote: "They",
  prefix: "",
  suffix: " run",
};
let api: Server;
let close = () => {};

async function openText(mediaId: string | null = TEXT) {
  vi.resetModules();
  const [{ useHighlights }, { useHighlightQueue }, { highlightQueue }, { useToasts }] = await Promise.all([
    import("../../src/highlights/useHighlights"),
    import("../../src/highlights/useHighlightQueue"),
    import("../../src/highlights/highlight-queue"),
    import("../../src/composables/useToasts"),
  ]);
  const id = ref(mediaId);
  const { result, queryClient, unmount } = mount(() => useHighlights(() => id.value));
  const updates = mount(() => useHighlightQueue(queryClient));
  updates.result.setUser(ADA);
  const { toasts, act, dismissAll } = useToasts();
  close = () => {
    dismissAll();
    unmount();
    updates.unmount();
  };
  await passed();
  const shown = () => result.highlights.value.map((one) => `${one.id} ${one.color}`);
  const undo = () => toasts[0] && act(toasts[0]);
  return { ...result, id, shown, undo, toasts, updates: updates.result, highlightQueue };
}

/** Also the lock between windows. */
const passed = (ms = 1000) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  api = server();
  api.get = (path) => ({ data: path.includes(TEXT) ? [listed("a")] : [] });
  api.post = () => respond(201, { data: {} });
});
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is made is shown before the server has it, in the colour that was chosen last", async () => {
  api.isDown = true;
  const { make, shown, setColor } = await openText();
  const first = make(PLACE, "pink");
  const second = make(PLACE);
  setColor(listed(first), "blue");
  const third = make(PLACE);
  expect(shown().toSorted()).toEqual([`${first} blue`, `${second} pink`, `${third} blue`].toSorted());
});

test("what was made stays while the list of before arrives late", async () => {
  const { make, query, shown } = await openText();
  let respondLate = () => {};
  api.holdReads = new Promise((resolve) => {
    respondLate = resolve;
  });
  void query.refetch();
  await passed(0);
  api.holdReads = Promise.resolve(); // only that one is late
  const id = make(PLACE, "green");
  const read = api.get;
  api.get = (path, params) => ({
    data: [...(read(path, params) as { data: object[] }).data, { ...listed(id), color: "green" }],
  });
  await passed();
  expect(api.changes().map(({ method }) => method)).toEqual(["POST"]);
  respondLate();
  await passed();
  expect(shown()).toContain(`${id} green`);
});

test("what is read again comes from no cache: it would lack what was just made", async () => {
  const { query } = await openText();
  await query.refetch();
  const asked = api.requests.filter(({ path }) => path.endsWith("/highlights"));
  expect(asked.map(({ isFresh }) => isFresh)).toEqual([false, true]);
});

test("a deletion is taken back by undo, with the highlight as it was", async () => {
  api.isDown = true;
  const { remove, shown, undo, highlights } = await openText();
  const was = { ...listed("b"), color: "pink" as const, note: "Mine" };
  remove(was);
  expect(shown()).toEqual([]);
  undo();
  expect(highlights.value).toMatchObject([{ id: "b", color: "pink", note: "Mine" }]);
});

test("a note is kept without white space around it, and an empty one is none", async () => {
  const { setNote } = await openText();
  setNote(listed("a"), "  Mine ");
  await passed();
  setNote(listed("a"), "  ");
  await passed();
  expect(api.changes().map(({ body }) => (body as { note: string | null }).note)).toEqual(["Mine", null]);
});

test("a change that is refused is shown no longer, and told", async () => {
  const { setColor, shown, toasts } = await openText();
  api.refuse = () => true;
  setColor(listed("a"), "blue");
  expect(shown()).toEqual(["a blue"]);
  await passed();
  expect([shown(), toasts.map(({ tone }) => tone)]).toEqual([["a yellow"], ["bad"]]);
});

test("each text has its own, and where there is none nothing is asked for", async () => {
  const { id, shown, make } = await openText(null);
  expect([shown(), api.requests]).toEqual([[], []]);
  id.value = TEXT;
  await passed();
  expect(shown()).toEqual(["a yellow"]);
  api.isDown = true;
  const made = make(PLACE, "pink");
  id.value = OTHER;
  await passed();
  expect(shown()).toEqual([]);
  id.value = TEXT;
  await passed();
  expect(shown()).toContain(`${made} pink`);
});
