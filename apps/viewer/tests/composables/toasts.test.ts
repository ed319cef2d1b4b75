import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createApp } from "vue";

let stop = () => {};

async function openToasts() {
  vi.resetModules();
  const { startToasts, useToasts } = await import("../../src/composables/useToasts");
  stop = startToasts();
  return useToasts();
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("a toast disappears after its seconds and then calls onGone once", async () => {
  const { toasts, show, dismiss } = await openToasts();
  const onGone = vi.fn();
  show("Deleted", { onGone, seconds: 3 });
  const id = toasts[0]?.id ?? 0;
  vi.advanceTimersByTime(2999);
  expect([toasts.map((toast) => toast.message), onGone.mock.calls.length]).toEqual([["Deleted"], 0]);
  vi.advanceTimersByTime(1);
  expect([toasts.length, onGone.mock.calls.length]).toEqual([0, 1]);
  dismiss(id);
  expect(onGone).toHaveBeenCalledOnce();
});

test("a toast whose action is taken does not call onGone", async () => {
  const { toasts, show, act } = await openToasts();
  const [run, onGone] = [vi.fn(), vi.fn()];
  show("Deleted", { action: { label: "Undo", run }, onGone });
  const [toast] = toasts;
  if (toast) act(toast);
  vi.advanceTimersByTime(60_000);
  expect([run.mock.calls.length, onGone.mock.calls.length, toasts.length]).toEqual([1, 0, 0]);
});

test("a toast that stays goes only when it is dismissed or acted on", async () => {
  const { toasts, show, dismiss, hold, release } = await openToasts();
  const onGone = vi.fn();
  const id = show("Lost", { stays: true, onGone });
  vi.advanceTimersByTime(3_600_000);
  hold();
  release();
  vi.advanceTimersByTime(3_600_000);
  expect([toasts.length, onGone.mock.calls.length]).toEqual([1, 0]);
  dismiss(id);
  expect([toasts.length, onGone.mock.calls.length]).toEqual([0, 1]);
});

test("dismissing one keeps the others", async () => {
  const { toasts, show, dismiss } = await openToasts();
  const gone: string[] = [];
  for (const name of ["first", "second"]) show(name, { onGone: () => gone.push(name) });
  dismiss(toasts[0]?.id ?? 0);
  expect([toasts.map((toast) => toast.message), gone]).toEqual([["second"], ["first"]]);
});

test("leaving the page completes what waits for a toast", async () => {
  const { toasts, show } = await openToasts();
  const onGone = vi.fn();
  show("Deleted", { onGone });
  window.dispatchEvent(new Event("pagehide"));
  expect([toasts.length, onGone.mock.calls.length]).toEqual([0, 1]);
});

test("the list of toasts holds them while the pointer or the focus is there", async () => {
  const { toasts, show } = await openToasts();
  const { default: ToastList } = await import("../../src/components/shell/ToastList.vue");
  const app = createApp(ToastList);
  app.mount(document.createElement("div"));
  const list = document.querySelector(".toasts") as HTMLElement;
  for (const [begin, end] of [
    ["pointerenter", "pointerleave"],
    ["focusin", "focusout"],
  ] as const) {
    show("Deleted", { seconds: 6 });
    list.dispatchEvent(new Event(begin));
    vi.advanceTimersByTime(60_000);
    expect(toasts.length).toBe(1);
    list.dispatchEvent(new Event(end));
    vi.advanceTimersByTime(6000);
    expect(toasts.length).toBe(0);
  }
  app.unmount();
});

test("none disappears while somebody points at one, and then they have their whole time again", async () => {
  const { toasts, show, hold, release, dismiss } = await openToasts();
  show("Deleted", { seconds: 6 });
  hold();
  show("Archived", { seconds: 6 });
  vi.advanceTimersByTime(60_000);
  expect(toasts.map((toast) => toast.message)).toEqual(["Deleted", "Archived"]);
  release();
  vi.advanceTimersByTime(5999);
  expect(toasts.length).toBe(2);
  hold();
  dismiss(toasts[0]?.id ?? 0); // with the button that was pointed at
  vi.advanceTimersByTime(6000);
  expect(toasts.length).toBe(0);
});
