import { ref } from "vue";

const now = ref(0);
let timer = 0;

function tick(): void {
  now.value = Date.now();
}

/** The time, fresh every second from the first use on; shared, so that a thousand rows cost one timer. */
export function useNow() {
  if (!timer) {
    tick();
    timer = window.setInterval(tick, 1000);
  }
  return now;
}
