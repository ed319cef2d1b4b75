/** The main thread's side of memory_thread.mjs. */
import { Worker } from "node:worker_threads";
import { canMeasure } from "./memory.mjs";

const THREAD = new URL("./memory_thread.mjs", import.meta.url);

export class MemoryWatch {
  #thread = null;
  #maxBytes;
  #queries = new Map();

  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** From now on, the processes of this browser are killed when they use too much. */
  watch(pid) {
    this.#post({ watch: pid });
  }

  unwatch(pid) {
    this.#post({ unwatch: pid });
  }

  /** How much it used, if it was killed for that; else null. */
  async bytesWhenKilled(pid) {
    if (!canMeasure()) return null;
    const reply = new Promise((resolve) => this.#queries.set(pid, [...(this.#queries.get(pid) ?? []), resolve]));
    this.#post({ query: pid });
    return await reply;
  }

  #post(message) {
    if (!canMeasure()) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(message);
  }

  #start() {
    // No error handler: an error in it ends this process, because pages must not be opened without it.
    const thread = new Worker(THREAD, { workerData: { maxBytes: this.#maxBytes } });
    thread.on("message", ({ pid, bytes }) => {
      for (const resolve of this.#queries.get(pid) ?? []) resolve(bytes);
      this.#queries.delete(pid);
    });
    thread.unref();
    return thread;
  }
}
