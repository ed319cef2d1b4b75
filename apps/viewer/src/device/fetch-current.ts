import { actionQueue } from "./action-queue";

/** While many decisions are sent one by one there is no end of them; the refresh after the last one corrects the rest. */
const MAX_REQUESTS = 3;

/**
 * A response that the server may have read before something was decided or sent is requested again: what was undone
 * would vanish with it, and what was marked as read come back.
 */
export async function fetchCurrent<T>(request: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    const before = actionQueue.changes();
    const response = await request();
    if (before === actionQueue.changes() || count === MAX_REQUESTS) return response;
  }
}
