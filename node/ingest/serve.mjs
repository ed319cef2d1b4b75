/** The long-lived mode: options on the first line, then a request a line, an answer a line, in any order. */
import { createInterface } from "node:readline";
import { Articles } from "./articles.mjs";
import { Browsers } from "./browsers.mjs";
import { asFailure, Failure } from "./failures.mjs";
import { checkRequest, optionsFrom, render } from "./render.mjs";

export async function serve(input, say) {
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const options = optionsFrom(JSON.parse(first ?? "{}"));
  const browsers = new Browsers(options);
  const articles = new Articles();
  const running = await warmUp(browsers, articles);
  say({ ready: true, browser: running.browser.version() });
  browsers.release(running);

  const desk = new Desk({ browsers, articles, options }, say);
  for await (const line of lines) desk.take(JSON.parse(line));
  desk.cancelAll();
  await browsers.closeIdle();
}

async function warmUp(browsers, articles) {
  const [running] = await Promise.all([browsers.take(), articles.warm()]);
  return running;
}

class Desk {
  #tools;
  #say;
  #waiting = [];
  #open = new Map();
  #idle = null;

  constructor(tools, say) {
    this.#tools = tools;
    this.#say = say;
    this.#rest();
  }

  take({ id, cancel, ...request }) {
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
      this.#work(this.#waiting.shift());
    if (this.#open.size === 0) this.#rest();
  }

  async #work({ id, request }) {
    const abort = new AbortController();
    this.#open.set(id, abort);
    try {
      const announce = this.#tools.options.announce && ((requested) => this.#say({ id, requested }));
      const tools = { ...this.#tools, options: { ...this.#tools.options, announce } };
      this.#say({ id, page: await render(tools, checkRequest(request), abort.signal) });
    } catch (error) {
      this.#say({ id, failure: error instanceof Failure ? error : asFailure(error) });
    } finally {
      this.#open.delete(id);
      this.#next();
    }
  }

  /** A warm browser is worth 400 MB only while pages come. */
  #rest() {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#tools.browsers.closeIdle();
      this.#tools.articles.close();
    }, this.#tools.options.idleMs);
    this.#idle.unref();
  }
}
