import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { compareTexts } from "../../src/text-changes/compare-texts";
import { useTextChanges } from "../../src/text-changes/useTextChanges";
import { mount } from "../composables/mount";

/** Compares as the real one does, when told to. */
class Thread {
  static started: Thread[] = [];
  isStopped = false;
  onmessage: (event: { data: unknown }) => void = () => {};
  onerror: () => void = () => {};
  private received: [string[], string[]] = [[], []];
  constructor() {
    Thread.started.push(this);
  }
  postMessage(texts: [string[], string[]]): void {
    this.received = texts;
  }
  finish(): void {
    this.onmessage({ data: compareTexts(...this.received) });
  }
  terminate(): void {
    this.isStopped = true;
  }
}

beforeEach(() => {
  Thread.started = [];
  vi.stubGlobal("Worker", Thread);
});
afterEach(() => vi.unstubAllGlobals());

test("it compares once both texts are there, and again when one is another", async () => {
  const [before, after] = [ref<string[]>(), ref<string[]>()];
  const { result, unmount } = mount(() => useTextChanges(before, after));
  before.value = ["Old words."];
  await nextTick();
  expect(Thread.started).toHaveLength(0);
  after.value = ["New words."];
  await nextTick();
  const [first] = Thread.started;
  expect(result.paragraphs.value).toBeNull();
  after.value = ["Old words."];
  await nextTick();
  expect(first?.isStopped).toBe(true);
  Thread.started[1]?.finish();
  expect(result.paragraphs.value).toEqual([[{ change: "same", text: "Old words." }]]);
  expect(Thread.started[1]?.isStopped).toBe(true);
  unmount();
});

test("leaving the page stops it", async () => {
  const { unmount } = mount(() => useTextChanges(ref(["a"]), ref(["b"])));
  unmount();
  expect(Thread.started.map((thread) => thread.isStopped)).toEqual([true]);
});

test("a thread that cannot run is an error", () => {
  const { result, unmount } = mount(() => useTextChanges(ref(["a"]), ref(["b"])));
  Thread.started[0]?.onerror();
  expect(result.error.value?.message).toContain("went wrong");
  unmount();
});
