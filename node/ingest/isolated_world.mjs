/** Reads the page's document from an isolated world, where changes that the page made to prototypes do not show. */

// An element named "title" or "URL" shadows that property of the document; the getters of the prototype are not affected.
const NATIVE = `
  const native = (name, owner = Document) => Reflect.getOwnPropertyDescriptor(owner.prototype, name).get.call(document);
  const find = (selector) => Document.prototype.querySelector.call(document, selector);
`;

const INSPECT = `(() => {${NATIVE}
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

  inspect() {
    return this.#evaluate(INSPECT);
  }

  /** {html, base, title, length} of the document that the main frame shows, and the loader that brought it. */
  async copy(maxChars) {
    try {
      return await this.#copyOfOne(maxChars);
    } catch {
      // It navigated in the meantime; the new document is the page now.
      await this.#page.waitForLoadState("domcontentloaded");
      return await this.#copyOfOne(maxChars);
    }
  }

  async #copyOfOne(maxChars) {
    const before = await this.#documents.currentLoader();
    this.#contextId = null; // so that it belongs to this document
    const copy = await this.#evaluate(copyUpTo(maxChars));
    const loader = await this.#documents.currentLoader();
    if (loader !== before) throw new Error("The page went to another document while it was copied.");
    return { ...copy, loader };
  }

  async #evaluate(expression) {
    try {
      this.#contextId ??= await this.#enter();
      const parameters = { expression, contextId: this.#contextId, returnByValue: true };
      const { result, exceptionDetails } = await this.#send("Runtime.evaluate", parameters);
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result.value;
    } catch (error) {
      this.#contextId = null; // a navigation ends the world; the next call makes another
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
