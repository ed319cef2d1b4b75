import { ApiError } from "@/api/errors";
import { withWindowLock } from "./window-lock";

const RETRY_MS = 15_000;

/** A retry as the same user may help: whatever the server did not refuse, such as a response cut off. */
export function canRetry(error: unknown): boolean {
  return !(error instanceof ApiError) || error.isTemporary || error.status === 401 || error.isOtherUser;
}

interface Queue {
  /** The name of the lock between windows; null: there is nothing to send, or no user. */
  lock: () => string | null;
  sendAll: () => Promise<void>;
  /** Another window changed this browser's storage. */
  onStorage: (event: StorageEvent) => void;
}

/** Sends a queue: one run at a time in all windows, and again whenever that may help. */
export function createQueueSender({ lock, sendAll, onStorage }: Queue) {
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;

  async function rounds(): Promise<void> {
    do {
      isRequestedAgain = false;
      const name = lock();
      if (name !== null) await withWindowLock(name, sendAll);
    } while (isRequestedAgain);
  }
  function run(): Promise<void> {
    isRequestedAgain = true; // what is added while the last one is being sent must not wait for the next retry
    running ??= rounds().finally(() => {
      running = null;
      return isRequestedAgain ? run() : undefined; // asked after its last look, and before this
    });
    return running;
  }
  const send = () => void run();

  return {
    send,
    /** Until all is sent, or the server cannot be reached. */
    sent: run,
    /** Now and whenever the connection may be back; call the result to stop. */
    start: (): (() => void) => {
      const timer = window.setInterval(send, RETRY_MS);
      window.addEventListener("online", send);
      window.addEventListener("storage", onStorage);
      send();
      return () => {
        window.clearInterval(timer);
        window.removeEventListener("online", send);
        window.removeEventListener("storage", onStorage);
      };
    },
  };
}
