import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import { sleepTimer } from "../../src/player/sleep-timer";

const MINUTE = 60_000;
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function timer(end: number | null = null) {
  const at = ref(0);
  const pause = vi.fn();
  return {
    at,
    pause,
    ...sleepTimer(
      pause,
      () => at.value,
      () => end,
    ),
  };
}

test("it pauses once the minutes are over, and is off then", () => {
  const { set, pause, isOn, minutesLeft } = timer();
  set(15);
  expect([isOn.value, minutesLeft.value]).toEqual([true, 15]);
  vi.advanceTimersByTime(13.5 * MINUTE);
  expect([minutesLeft.value, pause.mock.calls.length]).toEqual([2, 0]);
  vi.advanceTimersByTime(1.5 * MINUTE);
  expect([isOn.value, minutesLeft.value, pause.mock.calls.length]).toEqual([false, null, 1]);
  vi.advanceTimersByTime(60 * MINUTE);
  expect(pause).toHaveBeenCalledTimes(1);
});

test("at the end of the part that was being heard when it was set", async () => {
  const { set, at, pause, isOn } = timer(100);
  set("end");
  at.value = 99;
  await nextTick();
  expect([isOn.value, pause.mock.calls.length]).toEqual([true, 0]);
  at.value = 100.2;
  await nextTick();
  expect([isOn.value, pause.mock.calls.length]).toEqual([false, 1]);
});

test("another choice takes the place of the first, and off is off", () => {
  const { set, pause, minutesLeft } = timer();
  set(5);
  set(30);
  vi.advanceTimersByTime(6 * MINUTE);
  expect([minutesLeft.value, pause.mock.calls.length]).toEqual([24, 0]);
  set(null);
  vi.advanceTimersByTime(60 * MINUTE);
  expect(pause).not.toHaveBeenCalled();
});
