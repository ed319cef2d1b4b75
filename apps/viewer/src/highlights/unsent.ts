import { ref } from "vue";
import { deviceUser } from "@/device/user";

/** How many changes of highlights the server does not have yet. */
export const unsentHighlights = ref(0);

/** The queue, which is not part of the first load, with what waits for the user of this browser. */
export async function loadHighlightQueue() {
  const { highlightQueue } = await import("./highlight-queue");
  if (deviceUser.value) highlightQueue.setUser(deviceUser.value);
  return highlightQueue;
}
