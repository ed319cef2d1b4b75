/** Looks at the page's document with built-ins of its own: what the page did to its prototypes is not seen here. */

const SEEN_LENGTH = `(() => {
  const length = (node) => node?.textContent?.length ?? 0;
  let unseen = 0;
  for (const node of document.body?.querySelectorAll("script, style, noscript, template") ?? []) unseen += length(node);
  return {
    length: length(document.body) - unseen,
    parsed: document.readyState !== "loading",
    still: document.readyState === "complete" && !document.querySelector("script, meta[http-equiv=refresh i]"),
    url: document.URL,
  };
})()`;

const copyUpTo = (maxChars) => `(() => {
  const html = document.documentElement?.outerHTML ?? "";
  const seen = { url: document.URL, base: document.baseURI, title: document.title, length: html.length };
  const doctype = document.doctype ? "<!DOCTYPE html>" : "";
  return { ...seen, html: html.length > ${maxChars} ? null : doctype + html };
})()`;

export class IsolatedWorld {
  #page;
  #session = null;
  #contextId = null;

  constructor(page) {
    this.#page = page;
  }

  seen() {
    return this.#evaluate(SEEN_LENGTH);
  }

  async copy(maxChars) {
    try {
      return await this.#evaluate(copyUpTo(maxChars));
    } catch {
      // It went somewhere else at that very moment; where it went is the page now.
      await this.#page.waitForLoadState("domcontentloaded");
      return await this.#evaluate(copyUpTo(maxChars));
    }
  }

  async #evaluate(expression) {
    try {
      this.#contextId ??= await this.#enter();
      const question = { expression, contextId: this.#contextId, returnByValue: true };
      const { result, exceptionDetails } = await this.#send("Runtime.evaluate", question);
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value;
    } catch (error) {
      this.#contextId = null; // a navigation ends the world; the next look makes another
      throw error;
    }
  }

  async #enter() {
    const { frameTree } = await this.#send("Page.getFrameTree");
    const world = await this.#send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "nexus" });
    return world.executionContextId;
  }

  async #send(method, parameters) {
    this.#session ??= await this.#page.context().newCDPSession(this.#page);
    return await this.#session.send(method, parameters);
  }
}
