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

function timer(known: number | null = null) {
  const at = ref(0);
  const end = ref(known);
  const pause = vi.fn();
  return {
    at,
    end,
    pause,
    ...sleepTimer(
      pause,
      () => at.value,
      () => end.value,
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

test("an end that is not known yet is waited for until it is", async () => {
  const { set, at, end, pause, isOn } = timer();
  set("end");
  at.value = 50;
  await nextTick();
  expect([isOn.value, pause.mock.calls.length]).toEqual([true, 0]);
  end.value = 100;
  at.value = 51;
  await nextTick();
  end.value = 200; // of the next part
  at.value = 101;
  await nextTick();
  expect([isOn.value, pause.mock.calls.length]).toEqual([false, 1]);
});

test("an end whose time is never known comes when nothing is left to be heard", () => {
  const { set, finish, isOn } = timer();
  set("end");
  finish();
  expect([isOn.value, vi.getTimerCount()]).toEqual([false, 0]);
  set(5);
  finish(); // another episode may be heard within the five minutes
  expect(isOn.value).toBe(true);
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
