/** One shared browser, replaced after some pages or when it ended, and closed when idle. */
import { launch } from "./chromium.mjs";
import { tooMuchMemory } from "./failures.mjs";
import { canMeasure, ProcessTree } from "./memory.mjs";
import { MemoryWatch } from "./memory_watch.mjs";

const CLOSE_MS = 10_000;

export class Browsers {
  #options;
  #memory;
  #tree = new ProcessTree();
  #current = null;

  constructor(options) {
    this.#options = options;
    this.#memory = new MemoryWatch(options.maxBrowserBytes);
  }

  /** A browser to open one page in, until `release`. */
  async acquire() {
    for (;;) {
      this.#current ??= this.#start();
      const mine = this.#current;
      let running;
      try {
        running = await mine;
      } catch (error) {
        if (this.#current === mine) this.#current = null;
        throw error;
      }
      if (running.browser.isConnected() && !running.retired && this.#hasRoom(running)) {
        running.open += 1;
        if (running.open === 1) this.#memory.watch(running.pid);
        return running;
      }
      if (this.#current === mine) this.#current = null;
      this.#retire(running);
    }
  }

  release(running) {
    running.open -= 1;
    running.pages += 1;
    if (running.open === 0) this.#memory.unwatch(running.pid);
    if (running.retired || running.pages >= this.#options.pagesPerBrowser) this.#retire(running);
  }

  /** The same error, unless the browser was killed because it used too much memory. */
  async explain(running, error) {
    const bytes = await this.#memory.bytesWhenKilled(running.pid);
    return bytes === null ? error : tooMuchMemory(this.#options.maxBrowserBytes);
  }

  async closeIdle() {
    const running = await this.#current?.catch(() => null);
    if (!running || running.open > 0) return;
    running.retired = true;
    await close(running);
  }

  async #start() {
    const browser = await launch(this.#options);
    const gone = new AbortController();
    browser.on("disconnected", () => gone.abort());
    return { browser, pid: await processOf(browser), gone: gone.signal, open: 0, pages: 0, retired: false };
  }

  /** Other pages may still be open in it; the last one closes it. New pages get another browser. */
  #retire(running) {
    running.retired = true;
    if (running.open === 0) close(running);
  }

  /** Memory that earlier pages left allocated reduces what the next page may use. */
  #hasRoom({ pid, pages, open }) {
    if (pages === 0 || open > 0 || !canMeasure()) return true;
    return this.#tree.bytes(pid) <= this.#options.maxIdleBytes;
  }
}

async function processOf(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.find(({ type }) => type === "browser").id;
}

async function close({ browser }) {
  // If it does not close, this process exits: its parent then kills the whole tree and starts another.
  const stuck = setTimeout(() => process.exit(1), CLOSE_MS);
  await browser.close().catch(() => {});
  clearTimeout(stuck);
}
