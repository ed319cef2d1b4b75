import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ListedHighlight } from "../../../src/api/highlights";
import QuoteCard from "../../../src/components/highlights/QuoteCard.vue";
import { render } from "../render";

const HIGHLIGHT = {
  quote: "They run.",
  color: "yellow",
  media: { title: "About zebras", byline: null, site_name: null },
} as unknown as ListedHighlight;
let page: Awaited<ReturnType<typeof render>>;
let canLoadFonts = true;

beforeEach(async () => {
  const noOp = () => {};
  const context = { measureText: (text: string) => ({ width: text.length }), fillRect: noOp, fillText: noOp };
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation((done) => done(new Blob(["png"])));
  vi.spyOn(console, "error").mockImplementation(noOp);
  // jsdom has neither fonts nor modals.
  const load = async () => {
    if (!canLoadFonts) throw new TypeError("Failed to fetch");
  };
  Object.defineProperty(document, "fonts", { value: { load }, configurable: true });
  HTMLDialogElement.prototype.showModal = noOp;
  HTMLDialogElement.prototype.close = noOp;
});
afterEach(() => {
  page.unmount();
  vi.restoreAllMocks();
  Reflect.deleteProperty(document, "fonts");
});

test("a card that could not be drawn is shown once another background can be", async () => {
  canLoadFonts = false;
  page = await render(QuoteCard, { highlight: HIGHLIGHT });
  const alert = () => page.root.querySelector('[role="alert"]');
  await vi.waitFor(() => expect(alert()).not.toBeNull());
  canLoadFonts = true;
  page.root.querySelector<HTMLInputElement>('input[value="dark"]')?.click();
  await vi.waitFor(() => expect(page.root.querySelector("canvas")?.getAttribute("aria-busy")).toBe("false"));
  expect(alert()).toBeNull();
  expect(page.root.querySelector("canvas")?.style.display).toBe("");
});
