/** Readability in threads: a page that keeps jsdom busy for minutes or exhausts its heap fails alone. */
import { Worker } from "node:worker_threads";
import { Failure } from "./failures.mjs";

const READ_MS = 8_000;
const START_MS = 30_000;
const PAGES_PER_THREAD = 100;
const THREAD = new URL("./article_thread.mjs", import.meta.url);
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

export class Articles {
  #free = [];

  /** Start a thread before the first page: loading jsdom takes most of a second. */
  warm() {
    this.#free.push(new Thread());
    return this.#free.at(-1).started;
  }

  async read(html, url) {
    const thread = this.#free.pop() ?? new Thread();
    const { error: startError } = await thread.started;
    const { article, error } = startError ? { error: startError } : await thread.read({ html, url });
    if (thread.alive && thread.pages < PAGES_PER_THREAD) this.#free.push(thread);
    else thread.end();
    if (error) throw new Failure("unreadable", `Readability failed: ${error}`);
    if (!article?.content) throw new Failure("unreadable", "Readability found no article on this page.");
    return article;
  }

  close() {
    for (const thread of this.#free.splice(0)) thread.end();
  }
}

class Thread {
  pages = 0;
  alive = true;
  #worker = new Worker(THREAD, { resourceLimits: LIMITS });
  #settle = () => {};

  constructor() {
    this.started = this.#next(START_MS);
    this.#worker.on("message", (message) => this.#settle(message));
    this.#worker.on("error", (error) => this.#fail(error.message));
    this.#worker.on("exit", () => this.#fail("its thread ended"));
    this.#worker.unref();
  }

  read(request) {
    this.pages += 1;
    const reply = this.#next(READ_MS);
    this.#worker.postMessage(request);
    return reply;
  }

  end() {
    this.alive = false;
    this.#worker.terminate();
  }

  /** Always resolves: with the thread's reply, or with why there is none. */
  #next(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#fail(`it took longer than ${milliseconds / 1000} s`);
        this.end();
      }, milliseconds);
      this.#settle = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
    });
  }

  #fail(reason) {
    this.alive = false;
    this.#settle({ error: reason });
  }
}
