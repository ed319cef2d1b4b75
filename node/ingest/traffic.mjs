/** What the page asks the network for: heavy types are refused, the rest is counted until it has come. */

const HEAVY = new Set(["image", "media", "font"]);
// What text can depend on. Streams never end, and frames and style sheets bring no text of this page's.
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
      // The page may be gone before its request is decided: then there is nothing to decide.
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
