/**
 * The documents that the network delivered to the page's main frame. A page's identity is the URL of the response that
 * brought the document it shows: `document.URL` can be changed by the page's scripts.
 */
import { charsetOf, contentType, mayNeedCharset, withCharset } from "./charset.mjs";
import { Failure } from "./failures.mjs";

const READ_BYTES = 1 << 20;
const BYTES_PER_CHAR = 4;

export class Documents {
  session;
  frameId;
  failure = null;
  #charset;
  #maxHtmlChars;
  // By loader id: Chromium gives each document that it commits an id, and the same one to the response that brought it.
  // A download, a 204 and a document that was superseded have a response, but no document with their id.
  #responses = new Map();
  #methods = new Map();
  #fragments = new Map();
  #latestLoader = null;

  /** `charset` is used for a document that declares none. */
  static async watch(page, { charset, maxHtmlChars }) {
    const session = await page.context().newCDPSession(page);
    const { frameTree } = await session.send("Page.getFrameTree");
    const documents = new Documents(session, frameTree.frame.id, charset, maxHtmlChars);
    await Promise.all([
      session.send("Page.enable"),
      session.send("Network.enable"),
      // What a service worker responds is not the site's document.
      session.send("Network.setBypassServiceWorker", { bypass: true }),
      session.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Response" }] }),
    ]);
    return documents;
  }

  constructor(session, frameId, charset, maxHtmlChars) {
    this.session = session;
    this.frameId = frameId;
    this.#charset = charset;
    this.#maxHtmlChars = maxHtmlChars;
    session.on("Network.requestWillBeSent", (event) => this.#noteMethod(event));
    session.on("Network.responseReceived", (event) => this.#note(event));
    session.on("Page.frameNavigated", ({ frame }) => this.#commit(frame));
    session.on("Fetch.requestPaused", (event) => this.#pass(event));
  }

  /** The document that was committed last; does not query the page, which may be busy. */
  get latest() {
    return this.delivered(this.#latestLoader);
  }

  /** The loader id of the document that the main frame shows now. */
  async currentLoader() {
    const { frameTree } = await this.session.send("Page.getFrameTree");
    this.#commit(frameTree.frame);
    return frameTree.frame.loaderId;
  }

  /** {url, method, status, type, refusal} of the response that brought this document; null where none did. */
  delivered(loaderId) {
    const response = this.#responses.get(loaderId);
    if (!response || response.fromServiceWorker || !/^https?:/.test(response.url)) return null;
    const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]));
    return {
      url: response.url.split("#", 1)[0] + (this.#fragments.get(loaderId) ?? ""),
      method: this.#methods.get(loaderId) ?? null,
      status: response.status,
      type: headers.get("content-type") ?? null,
      refusal: headers.get("x-nexus-refusal") ?? null,
    };
  }

  /** Called again for each redirect with the method it is followed with: 307 and 308 keep it, 303 makes it GET. */
  #noteMethod({ loaderId, frameId, type, request }) {
    if (type === "Document" && frameId === this.frameId) this.#methods.set(loaderId, request.method);
  }

  #note({ loaderId, frameId, type, response }) {
    if (type === "Document" && frameId === this.frameId) this.#responses.set(loaderId, response);
  }

  #commit({ id, loaderId, urlFragment }) {
    if (id !== this.frameId) return;
    this.#latestLoader = loaderId;
    // As it was when the document was committed: scripts may change it later.
    if (!this.#fragments.has(loaderId)) this.#fragments.set(loaderId, urlFragment ?? "");
  }

  async #pass(event) {
    try {
      await this.#decide(event);
    } catch (error) {
      // Most often the page is closed; if not, the request must not wait for ever.
      if (error instanceof Failure) this.failure = error;
      await this.session
        .send("Fetch.failRequest", { requestId: event.requestId, errorReason: "Aborted" })
        .catch(() => {});
    }
  }

  async #decide({ requestId, frameId, responseStatusCode: status, responseHeaders: headers = [] }) {
    const type = contentType(headers);
    const hasBody = status >= 200 && (status < 300 || status >= 400) && status !== 204 && status !== 205;
    if (frameId !== this.frameId || !hasBody || isAttachment(headers) || !mayNeedCharset(type, this.#charset)) {
      await this.session.send("Fetch.continueResponse", { requestId });
      return;
    }
    const body = await this.#body(requestId);
    const charset = charsetOf(body, type, this.#charset);
    await this.session.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: status,
      responseHeaders: charset ? withCharset(headers, body, charset) : headers,
      body: body.toString("base64"),
    });
  }

  async #body(requestId) {
    const limit = this.#maxHtmlChars * BYTES_PER_CHAR;
    const { stream: handle } = await this.session.send("Fetch.takeResponseBodyAsStream", { requestId });
    const chunks = [];
    let size = 0;
    try {
      for (;;) {
        const { data, base64Encoded, eof } = await this.session.send("IO.read", { handle, size: READ_BYTES });
        chunks.push(Buffer.from(data, base64Encoded ? "base64" : "utf8"));
        size += chunks.at(-1).length;
        if (size > limit) throw new Failure("too_large", `The page has more than ${limit} bytes.`);
        if (eof) return Buffer.concat(chunks);
      }
    } finally {
      await this.session.send("IO.close", { handle }).catch(() => {});
    }
  }
}

function isAttachment(headers) {
  return headers.some(
    ({ name, value }) => name.toLowerCase() === "content-disposition" && /^\s*attachment/i.test(value),
  );
}
