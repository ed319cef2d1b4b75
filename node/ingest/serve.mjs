/** The --serve mode: options on the first line, then one request per line, one message per line, in any order. */
import { createInterface } from "node:readline";
import { Browsers } from "./browsers.mjs";
import { asFailure, Failure } from "./failures.mjs";
import { checkRequest, optionsFrom, render } from "./render.mjs";

export async function serve(input, send) {
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const options = optionsFrom(JSON.parse(first ?? "{}"));
  const browsers = new Browsers(options);
  const running = await browsers.acquire();
  send({ ready: true, browser: running.browser.version() });
  browsers.release(running);

  const queue = new RequestQueue({ browsers, options }, send);
  for await (const line of lines) queue.add(JSON.parse(line));
  queue.cancelAll();
  await browsers.closeIdle();
}

class RequestQueue {
  #tools;
  #send;
  #waiting = [];
  #open = new Map();
  #idle = null;

  constructor(tools, send) {
    this.#tools = tools;
    this.#send = send;
    this.#closeWhenIdle();
  }

  add({ id, cancel, ...request }) {
    if (cancel !== undefined) return this.#cancel(cancel);
    clearTimeout(this.#idle);
    this.#waiting.push({ id, request });
    this.#next();
  }

  cancelAll() {
    this.#waiting = [];
    for (const id of this.#open.keys()) this.#cancel(id);
  }

  #cancel(id) {
    this.#waiting = this.#waiting.filter((one) => one.id !== id);
    this.#open.get(id)?.abort();
  }

  #next() {
    while (this.#waiting.length > 0 && this.#open.size < this.#tools.options.pagesAtOnce)
      this.#render(this.#waiting.shift());
    if (this.#open.size === 0) this.#closeWhenIdle();
  }

  async #render({ id, request }) {
    const abort = new AbortController();
    this.#open.set(id, abort);
    try {
      const onRequest = this.#tools.options.announce && ((requested) => this.#send({ id, requested }));
      const tools = { ...this.#tools, options: { ...this.#tools.options, onRequest } };
      this.#send({ id, page: await render(tools, checkRequest(request), abort.signal) });
    } catch (error) {
      this.#send({ id, failure: error instanceof Failure ? error : asFailure(error) });
    } finally {
      this.#open.delete(id);
      this.#next();
    }
  }

  /** An open browser takes 400 MB, so it is closed when no pages come. */
  #closeWhenIdle() {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#tools.browsers.closeIdle(), this.#tools.options.idleMs);
    this.#idle.unref();
  }
}
