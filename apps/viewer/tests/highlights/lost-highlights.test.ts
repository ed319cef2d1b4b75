import { useQueryClient } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mount } from "../composables/mount";
import { ADA, type Server, server } from "../composables/server";

const TEXT = "11111111-0000-4000-8000-000000000001";
let api: Server;
let page: Awaited<ReturnType<typeof openPage>>;
let clipboard: string[] = [];
let canCopy = true;

/** Once the server is there: the client asks the one it finds. */
async function openPage() {
  vi.resetModules();
  const [{ useToasts }, { highlightQueue }, { useHighlightQueue }] = await Promise.all([
    import("../../src/composables/useToasts"),
    import("../../src/highlights/highlight-queue"),
    import("../../src/highlights/useHighlightQueue"),
  ]);
  const { unmount, queryClient } = mount(() => useHighlightQueue(useQueryClient()).setUser(ADA));
  return { ...useToasts(), queue: highlightQueue, unmount, queryClient };
}

beforeEach(async () => {
  localStorage.clear();
  api = server();
  [clipboard, canCopy] = [[], true];
  const writeText = async (text: string) => {
    if (!canCopy) throw new Error("not allowed");
    clipboard.push(text);
  };
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  document.execCommand = () => false;
  page = await openPage();
});
afterEach(() => {
  page.dismissAll();
  page.unmount();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const point = (offset: number) => ({ fragment_idx: 0, offset });
function make(id: string, quote: string): void {
  const passage = { version: 1, start: point(0), end: point(quote.length), quote, prefix: "", suffix: "" };
  page.queue.add(TEXT, id, { part: "made", place: passage, color: "yellow", note: null, tags: [] });
}
async function loseTwo(): Promise<void> {
  api.isDown = true;
  make("h1", "They run.");
  page.queue.add(TEXT, "h1", { part: "note", note: "My own words" });
  make("h2", "They eat.");
  await page.queue.finish();
  api.isDown = false;
  api.refuse = () => true;
  await page.queue.finish();
}
const copyIt = () => {
  const [toast] = page.toasts;
  if (toast) page.act(toast);
};

test("highlights that are refused stay in one message until they are copied, with their notes", async () => {
  await loseTwo();
  expect(page.toasts.map(({ message, stays }) => [message, stays])).toEqual([
    ["Couldn't save 2 highlights. Not like this.", true],
  ]);
  canCopy = false;
  copyIt();
  await vi.waitFor(() => expect(page.toasts.map(({ stays }) => stays)).toEqual([true])); // still there
  canCopy = true;
  copyIt();
  await vi.waitFor(() => expect(page.toasts.map(({ message }) => message)).toEqual(["Copied"]));
  expect(clipboard).toHaveLength(1);
  expect(clipboard[0]).toMatch(/^> They run\..*My own words\n\n> They eat\./s);
  expect(clipboard[0]).toContain(`/read/${TEXT}`);
});

test("those that were let go of are not told again", async () => {
  await loseTwo();
  page.dismissAll();
  make("h3", "They sleep.");
  await page.queue.finish();
  expect(page.toasts.map(({ message }) => message)).toEqual(["Couldn't save the highlight. Not like this."]);
  copyIt();
  await vi.waitFor(() => expect(clipboard).toHaveLength(1));
  expect(clipboard[0]).not.toContain("They run.");
});

test("those that were copied are not told again, and each names its text", async () => {
  page.queryClient.setQueryData(["media", TEXT], { title: "About zebras" });
  await loseTwo();
  copyIt();
  await vi.waitFor(() => expect(page.toasts.map(({ message }) => message)).toEqual(["Copied"]));
  expect(clipboard[0]).toContain("About zebras");
  page.dismissAll();
  make("h3", "They sleep.");
  await page.queue.finish();
  copyIt();
  await vi.waitFor(() => expect(clipboard).toHaveLength(2));
  expect(clipboard[1]).not.toContain("They run.");
});

test("it is told once that a browser has no room", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  api.isDown = true;
  for (const id of ["h1", "h2"]) {
    make(id, "They run.");
    await page.queue.finish();
  }
  expect(page.toasts.filter(({ message }) => message.includes("no room"))).toHaveLength(1);
});
