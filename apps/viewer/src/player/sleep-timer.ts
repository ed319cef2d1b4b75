import { computed, ref, watch } from "vue";

/** Minutes until it stops, or at the end of what is being heard: the chapter, or the paragraph. */
type Sleep = number | "end";
export const SLEEP_MINUTES = [5, 15, 30, 45, 60];

/** Stops playing after a while. `end`: where the part that is being heard ends, on the scale of `at`; null: not known. */
export function sleepTimer(pause: () => void, at: () => number, end: () => number | null) {
  const until = ref<number | null>(null);
  const isForEnd = ref(false);
  /** As it was when it was chosen, or as soon as it was known: the next part is not waited for. */
  let endsAt: number | null = null;
  const now = ref(Date.now());
  let timer = 0;

  function clear(): void {
    window.clearInterval(timer);
    timer = 0;
    [until.value, isForEnd.value, endsAt] = [null, false, null];
  }
  function check(): void {
    now.value = Date.now();
    const isOver = until.value !== null && now.value >= until.value;
    if (isForEnd.value) endsAt ??= end();
    const isAtEnd = endsAt !== null && at() >= endsAt;
    if (!isOver && !isAtEnd) return;
    clear();
    pause();
  }
  function set(chosen: Sleep | null): void {
    clear();
    if (chosen === null) return;
    now.value = Date.now();
    isForEnd.value = chosen === "end";
    if (chosen === "end") endsAt = end();
    else until.value = now.value + chosen * 60_000;
    timer = window.setInterval(check, 1000);
  }
  // In a window that is not looked at, timers come late; the audio goes on telling where it is.
  watch(at, check);

  return {
    set,
    /** Nothing is left to be heard: whoever waited for the end has it, also where its time was never known. */
    finish: () => {
      if (isForEnd.value) clear();
    },
    isOn: computed(() => until.value !== null || isForEnd.value),
    /** Whole minutes left; null at the end of a part, or when it is off. */
    minutesLeft: computed(() =>
      until.value === null ? null : Math.max(1, Math.ceil((until.value - now.value) / 60_000)),
    ),
  };
}
