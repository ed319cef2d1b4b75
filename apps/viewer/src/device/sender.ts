import { ApiError } from "@/api/errors";
import { withWindowLock } from "./window-lock";

const RETRY_MS = 15_000;

/** Trying the same later may help, as the same user. Whatever the server did not refuse, such as an answer cut off. */
export function canRetry(error: unknown): boolean {
  return !(error instanceof ApiError) || error.isTemporary || error.status === 401 || error.isOtherUser;
}

interface Queue {
  /** What only one window at a time may work on; null: there is nothing to send, or nobody to send it for. */
  lock: () => string | null;
  sendAll: () => Promise<void>;
  /** Another window changed this browser's storage. */
  onStorage: (event: StorageEvent) => void;
}

/** Sends what waits in a queue: one run at a time, here and in all windows, and again whenever it may help. */
export function sender({ lock, sendAll, onStorage }: Queue) {
  let isSending = false;
  let isAskedAgain = false;

  async function run(): Promise<void> {
    isAskedAgain = isSending; // what comes while the last one is being sent must not wait for the next try
    const name = isSending ? null : lock();
    if (name === null) return;
    isSending = true;
    try {
      await withWindowLock(name, sendAll);
    } finally {
      isSending = false;
    }
    if (isAskedAgain) void run();
  }
  const send = () => void run();

  return {
    send,
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
