/** Looks at the page's document with built-ins of its own: what the page did to its prototypes is not seen here. */

// An element with such a name stands before a property of the document: the getters themselves have no names to lose.
const NATIVE = `
  const native = (name, owner = Document) => Reflect.getOwnPropertyDescriptor(owner.prototype, name).get.call(document);
  const find = (selector) => Document.prototype.querySelector.call(document, selector);
`;

const SEEN_LENGTH = `(() => {${NATIVE}
  const length = (node) => node?.textContent?.length ?? 0;
  const body = native("body");
  let unseen = 0;
  for (const node of body?.querySelectorAll("script, style, noscript, template") ?? []) unseen += length(node);
  return {
    length: length(body) - unseen,
    parsed: native("readyState") !== "loading",
    still: native("readyState") === "complete" && !find("script, meta[http-equiv=refresh i]"),
    url: native("URL"),
  };
})()`;

const copyUpTo = (maxChars) => `(() => {${NATIVE}
  const html = native("documentElement")?.outerHTML ?? "";
  const seen = { base: native("baseURI", Node), title: native("title"), length: html.length };
  const doctype = native("doctype") ? "<!DOCTYPE html>" : "";
  return { ...seen, html: html.length > ${maxChars} ? null : doctype + html };
})()`;

export class IsolatedWorld {
  #page;
  #documents;
  #contextId = null;

  constructor(page, documents) {
    this.#page = page;
    this.#documents = documents;
  }

  seen() {
    return this.#evaluate(SEEN_LENGTH);
  }

  /** {html, base, title, length} of the document that the main frame shows, and the loader that brought it. */
  async copy(maxChars) {
    try {
      return await this.#copyOfOne(maxChars);
    } catch {
      // It went somewhere else at that very moment; where it went is the page now.
      await this.#page.waitForLoadState("domcontentloaded");
      return await this.#copyOfOne(maxChars);
    }
  }

  async #copyOfOne(maxChars) {
    const before = await this.#documents.currentLoader();
    this.#contextId = null; // of this document for certain
    const copy = await this.#evaluate(copyUpTo(maxChars));
    const loader = await this.#documents.currentLoader();
    if (loader !== before) throw new Error("The page went to another document while it was copied.");
    return { ...copy, loader };
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
    const frameId = this.#documents.frameId;
    const world = await this.#send("Page.createIsolatedWorld", { frameId, worldName: "nexus" });
    return world.executionContextId;
  }

  async #send(method, parameters) {
    return await this.#documents.session.send(method, parameters);
  }
}
