/** A document as it is shown: shadow roots and frames of the same origin in place, nothing that is not displayed. */

// What the server would drop. Form fields may hold what was typed into them, so they never leave the page.
const LEFT_OUT = new Set([
  "script", "style", "template", "noscript", "input", "textarea", "select", "option", "datalist", "object", "embed",
  "canvas",
]); // biome-ignore format: a list
const DROPPED_ATTRIBUTES = new Set(["srcset", "sizes", "nonce", "integrity", "srcdoc", "value", "ping"]);
const MAX_DATA_URL = 200_000;

export function serialize(source: Document): string {
  const target = source.implementation.createHTMLDocument("");
  const root = target.documentElement;
  copyAttributes(source.documentElement, root);
  root.replaceChildren();
  const base = target.createElement("base");
  base.href = source.baseURI;
  for (const child of source.documentElement.childNodes) copy(child, root, target);
  (root.querySelector("head") ?? root).prepend(base);
  return `<!DOCTYPE html>\n${root.outerHTML}`;
}

function copy(node: Node, parent: Element, target: Document): void {
  if (node.nodeType === Node.TEXT_NODE) parent.append(target.createTextNode(node.nodeValue ?? ""));
  else if (node.nodeType === Node.ELEMENT_NODE) copyElement(node as Element, parent, target);
}

function copyElement(element: Element, parent: Element, target: Document): void {
  const name = element.localName;
  if (isLeftOut(element, name)) return;
  const frame = frameDocument(element);
  const made = frame ? target.createElement("div") : target.createElementNS(element.namespaceURI, name);
  if (!frame) copyAttributes(element, made);
  resolve(element, made);
  parent.append(made);
  for (const child of frame ? frame.body.childNodes : childrenOf(element)) copy(child, made, target);
}

function isLeftOut(element: Element, name: string): boolean {
  // Names and dates of an article are often only there.
  if (name === "script") return element.getAttribute("type") !== "application/ld+json";
  return LEFT_OUT.has(name) || !isDisplayed(element);
}

function isDisplayed(element: Element): boolean {
  const view = element.ownerDocument.defaultView;
  const isInHead = element.closest("head") !== null;
  return isInHead || !view || view.getComputedStyle(element).display !== "none";
}

/** What is drawn inside an element: its shadow root, with slots filled, or its own children. */
function childrenOf(element: Element): Iterable<Node> {
  const shadow = shadowOf(element);
  if (shadow) return shadow.childNodes;
  if (element.localName === "slot") {
    const assigned = (element as HTMLSlotElement).assignedNodes({ flatten: true });
    if (assigned.length) return assigned;
  }
  return element.childNodes;
}

interface WithClosedRoot {
  openOrClosedShadowRoot?: ShadowRoot | null; // Firefox gives it to extensions
}

function shadowOf(element: Element): ShadowRoot | null {
  if (element.shadowRoot) return element.shadowRoot;
  if (!element.localName.includes("-")) return null; // closed roots of anything else are the browser's own
  const closed = (element as Element & WithClosedRoot).openOrClosedShadowRoot;
  if (closed !== undefined) return closed;
  return globalThis.chrome?.dom?.openOrClosedShadowRoot?.(element as HTMLElement) ?? null;
}

function frameDocument(element: Element): Document | null {
  if (element.localName !== "iframe" && element.localName !== "frame") return null;
  try {
    const inner = (element as HTMLIFrameElement).contentDocument;
    return inner?.body?.hasChildNodes() ? inner : null;
  } catch {
    return null; // of another origin: it stays a frame, of which the server makes a link
  }
}

function copyAttributes(from: Element, to: Element): void {
  for (const { name, value } of from.attributes) {
    if (name.startsWith("on") || DROPPED_ATTRIBUTES.has(name)) continue;
    try {
      to.setAttribute(name, value);
    } catch {
      // Parsers accept names that setAttribute refuses (`<p "=1>`); nothing reads those.
    }
  }
}

/** Addresses as the browser understood them, and the picture that it chose. */
function resolve(element: Element, made: Element): void {
  const name = element.localName;
  if (name === "a") setUrl(made, "href", (element as HTMLAnchorElement).href);
  if (name !== "img") return;
  const image = element as HTMLImageElement;
  const url = image.currentSrc || image.src;
  if (url.startsWith("data:") && url.length > MAX_DATA_URL) made.removeAttribute("src");
  else setUrl(made, "src", url);
}

function setUrl(made: Element, name: string, url: unknown): void {
  if (typeof url === "string" && url && made.hasAttribute(name)) made.setAttribute(name, url);
}
