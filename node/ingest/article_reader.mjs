/** Readability in a thread: a page that keeps jsdom busy for minutes, or exhausts its heap, does not end the process. */
import { Worker } from "node:worker_threads";
import { Failure } from "./failures.mjs";

const READ_MS = 8_000;
const START_MS = 30_000;
const THREAD = new URL("./article_thread.mjs", import.meta.url);
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

export function checkReadability({ readability = "required" }) {
  if (["required", "wanted", "off"].includes(readability)) return readability;
  throw new Failure("bad_request", "readability must be required, wanted or off.");
}

/** The page with its article's title and HTML. Where there is none, "required" throws and "wanted" leaves it null. */
export async function withArticle(reader, page, readability) {
  if (readability === "off") return { ...page, content_html: null };
  try {
    const { title, content } = await reader.read(page.html, page.final_url);
    return { ...page, title: title || page.title, content_html: content };
  } catch (error) {
    if (readability === "required") throw error;
    return { ...page, content_html: null };
  }
}

/** Reads one page. Made before the page is opened, because loading jsdom takes most of a second. */
export class ArticleReader {
  #worker = new Worker(THREAD, { resourceLimits: LIMITS });
  #settle = () => {};
  #started;

  constructor() {
    this.#started = this.#next(START_MS);
    this.#worker.on("message", (message) => this.#settle(message));
    this.#worker.on("error", (error) => this.#settle({ error: error.message }));
    this.#worker.on("exit", () => this.#settle({ error: "its thread ended" }));
    this.#worker.unref();
  }

  async read(html, url) {
    const { error: startError } = await this.#started;
    const { article, error } = startError ? { error: startError } : await this.#request({ html, url });
    if (error) throw new Failure("unreadable", `Readability failed: ${error}`);
    if (!article?.content) throw new Failure("unreadable", "Readability found no article on this page.");
    return article;
  }

  end() {
    this.#worker.terminate();
  }

  #request(request) {
    const reply = this.#next(READ_MS);
    this.#worker.postMessage(request);
    return reply;
  }

  /** Always resolves: with the thread's reply, or with why there is none. */
  #next(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#settle({ error: `it took longer than ${milliseconds / 1000} s` }),
        milliseconds,
      );
      this.#settle = (message) => {
        clearTimeout(timer);
        resolve(message);
      };
    });
  }
}
