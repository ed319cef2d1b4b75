import { computed, ref, watch } from "vue";

/** Minutes until it stops, or at the end of what is being heard: the chapter, or the paragraph. */
export type Sleep = number | "end";
export const SLEEP_MINUTES = [5, 15, 30, 45, 60];

/** Stops playing after a while. `end`: where the part that is being heard ends, on the scale of `at`. */
export function sleepTimer(pause: () => void, at: () => number, end: () => number | null) {
  const until = ref<number | null>(null);
  const endsAt = ref<number | null>(null);
  const now = ref(Date.now());
  let timer = 0;

  function clear(): void {
    window.clearInterval(timer);
    timer = 0;
    [until.value, endsAt.value] = [null, null];
  }
  function check(): void {
    now.value = Date.now();
    const isOver = until.value !== null && now.value >= until.value;
    const isAtEnd = endsAt.value !== null && at() >= endsAt.value;
    if (!isOver && !isAtEnd) return;
    clear();
    pause();
  }
  function set(chosen: Sleep | null): void {
    clear();
    if (chosen === null) return;
    now.value = Date.now();
    if (chosen === "end") endsAt.value = end();
    else until.value = now.value + chosen * 60_000;
    timer = window.setInterval(check, 1000);
  }
  // In a window that is not looked at, timers come late; the audio goes on telling where it is.
  watch(at, check);

  return {
    set,
    isOn: computed(() => until.value !== null || endsAt.value !== null),
    /** Whole minutes left; null at the end of a part, or when it is off. */
    minutesLeft: computed(() =>
      until.value === null ? null : Math.max(1, Math.ceil((until.value - now.value) / 60_000)),
    ),
  };
}
