/** The page's requests: heavy types are blocked, the others are counted until they finish. */

const HEAVY = new Set(["image", "media", "font"]);
// Types that the text can depend on. Streams never end, and frames and style sheets add no text to this page.
const AWAITED = new Set(["document", "script", "xhr", "fetch"]);

export class Traffic {
  started = 0;
  #page;
  #pending = new Set();

  constructor(page) {
    this.#page = page;
    page.on("request", (request) => this.#isAwaited(request) && this.#begin(request));
    page.on("requestfinished", (request) => this.#pending.delete(request));
    page.on("requestfailed", (request) => this.#pending.delete(request));
  }

  get pending() {
    return this.#pending.size;
  }

  async blockHeavyTypes(context) {
    await context.route("**/*", (route) => {
      const heavy = HEAVY.has(route.request().resourceType());
      // The page may be closed before its request is decided.
      return (heavy ? route.abort() : route.continue()).catch(() => {});
    });
  }

  #begin(request) {
    this.started += 1;
    this.#pending.add(request);
  }

  #isAwaited(request) {
    return AWAITED.has(request.resourceType()) && this.#isOfMainFrame(request);
  }

  #isOfMainFrame(request) {
    try {
      return request.frame() === this.#page.mainFrame();
    } catch {
      return false; // a worker's request, or one whose frame is not there yet
    }
  }
}
