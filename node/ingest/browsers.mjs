/** One warm browser for everybody, replaced before it grows old, after it died, and put away when nobody comes. */
import { launch } from "./chromium.mjs";
import { memoryBelow } from "./memory.mjs";

const CLOSE_MS = 10_000;
const PAGES_BETWEEN_WEIGHINGS = 10;

export class Browsers {
  #options;
  #current = null;

  constructor(options) {
    this.#options = options;
  }

  /** A browser to open one page in; give it back with `release`. */
  async take() {
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
      if (running.browser.isConnected() && !running.retired) {
        running.open += 1;
        return running;
      }
      if (this.#current === mine) this.#current = null;
    }
  }

  release(running) {
    running.open -= 1;
    running.pages += 1;
    if (this.#isOld(running)) running.retired = true;
    // Pages of others may still be open in it; the last one closes it. New pages get another browser meanwhile.
    if (running.retired && running.open === 0) close(running);
  }

  async closeIdle() {
    const running = await this.#current?.catch(() => null);
    if (!running || running.open > 0) return;
    running.retired = true;
    await close(running);
  }

  async #start() {
    return { browser: await launch(this.#options), open: 0, pages: 0, retired: false };
  }

  #isOld({ pages }) {
    if (pages >= this.#options.pagesPerBrowser) return true;
    return pages % PAGES_BETWEEN_WEIGHINGS === 0 && memoryBelow() > this.#options.maxBrowserBytes;
  }
}

async function close({ browser }) {
  // One that does not go takes this process with it: whoever started us ends the whole tree and starts anew.
  const stuck = setTimeout(() => process.exit(1), CLOSE_MS);
  await browser.close().catch(() => {});
  clearTimeout(stuck);
}
