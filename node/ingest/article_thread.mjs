/** A thread that turns a page's HTML into Readability's article. It has a heap of its own and can be terminated. */
import { parentPort } from "node:worker_threads";
import { Readability } from "@mozilla/readability";
import { JSDOM, VirtualConsole } from "jsdom";

const MAX_ELEMENTS = 50_000;

parentPort.on("message", ({ html, url }) => {
  try {
    parentPort.postMessage({ article: readArticle(html, url) });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.message ?? error).slice(0, 300) });
  }
});
parentPort.postMessage({ ready: true });

function readArticle(html, url) {
  // No scripts, no resources: jsdom's defaults. No console, because broken style sheets would fill the log.
  const dom = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
  try {
    const article = new Readability(dom.window.document, { maxElemsToParse: MAX_ELEMENTS }).parse();
    return article ? { title: article.title || null, content: article.content || null } : null;
  } finally {
    dom.window.close();
  }
}
