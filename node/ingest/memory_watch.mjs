/** The main thread's side of memory_thread.mjs. */
import { Worker } from "node:worker_threads";
import { canMeasure } from "./memory.mjs";

const THREAD = new URL("./memory_thread.mjs", import.meta.url);

export class MemoryWatch {
  #thread = null;
  #maxBytes;
  #asked = new Map();

  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** From now on; the processes of this browser are killed when they take too much. */
  watch(pid) {
    this.#post({ watch: pid });
  }

  leave(pid) {
    this.#post({ leave: pid });
  }

  /** How much it took, if that is why it was ended; null if not. */
  async reasonOfEnd(pid) {
    if (!canMeasure()) return null;
    const answer = new Promise((resolve) => this.#asked.set(pid, [...(this.#asked.get(pid) ?? []), resolve]));
    this.#post({ ask: pid });
    return await answer;
  }

  #post(message) {
    if (!canMeasure()) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(message);
  }

  #start() {
    // Nobody listens for its errors: without it pages are not safe to open, so an error ends this process.
    const thread = new Worker(THREAD, { workerData: { maxBytes: this.#maxBytes } });
    thread.on("message", ({ pid, bytes }) => {
      for (const resolve of this.#asked.get(pid) ?? []) resolve(bytes);
      this.#asked.delete(pid);
    });
    thread.unref();
    return thread;
  }
}
