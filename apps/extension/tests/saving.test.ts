import { afterEach, beforeEach, expect, it } from "vitest";
import { entries, removeEntry } from "../src/background/outbox";
import { addLink, addPage } from "../src/background/saving";
import { startBrowser, tab } from "./browser";

const PAGE = { url: "https://a.example/x", itemId: null, title: "X", lang: "en", selection: "", html: "<p>Text</p>" };
const TAB = { id: 1, url: "https://a.example/tab", title: "The tab" } as chrome.tabs.Tab;

beforeEach(() => {
  startBrowser({});
  tab.page = PAGE;
});
afterEach(async () => {
  for (const { key } of await entries()) await removeEntry(key);
});

it("takes the page as it is shown into the outbox, with its own address", async () => {
  const { entry, hint } = await addPage(TAB);
  expect(entry).toMatchObject({ url: PAGE.url, title: "X", page: PAGE, isLinkFirst: false, itemId: null });
  expect(hint).toBeNull();
  expect(await entries()).toEqual([entry]);
});

it("takes only the link where the browser does not let it look, and says so", async () => {
  tab.page = null;
  const { entry, hint } = await addPage(TAB);
  expect(entry).toMatchObject({ url: "https://a.example/tab", title: "The tab", page: null });
  expect(hint).toContain("its link was saved");
});

it("takes only the link of a page that is too large, and says how large", async () => {
  tab.page = { ...PAGE, html: "é".repeat(10_000_001) }; // counted in bytes
  const { entry, hint } = await addPage(TAB);
  expect([entry.page, entry.url]).toEqual([null, PAGE.url]);
  expect(hint).toContain("21 MB");
});

it.each(["chrome://settings", "file:///etc/passwd", ""])("refuses %j, which is no web page", async (url) => {
  tab.page = null;
  await expect(addPage({ ...TAB, url })).rejects.toThrow("Only web pages");
  await expect(addLink(url)).rejects.toThrow("Only web pages");
  expect(await entries()).toEqual([]);
});

it("takes what was selected in the menu rather than what the page says", async () => {
  tab.page = { ...PAGE, selection: "of the page" };
  expect((await addPage(TAB, { selection: "of the menu" })).entry.page?.selection).toBe("of the menu");
  expect((await addPage(TAB)).entry.page?.selection).toBe("of the page");
});

it("sends the link first where the user wants that, but not what only this page has", async () => {
  startBrowser({ mode: "when-needed" });
  expect((await addPage(TAB)).entry.isLinkFirst).toBe(true);
  expect((await addPage(TAB, { selection: "words" })).entry.isLinkFirst).toBe(false);
  expect((await addPage(TAB, { itemId: "i1" })).entry).toMatchObject({ isLinkFirst: false, itemId: "i1" });
});

it("fills the item that the page was opened for", async () => {
  tab.page = { ...PAGE, itemId: "i9" };
  expect((await addPage(TAB, { itemId: "i1" })).entry.itemId).toBe("i9");
});

it("takes a link, each time under another key", async () => {
  const [first, second] = [await addLink("https://a.example/l"), await addLink("https://a.example/l")];
  expect(first.entry).toMatchObject({ url: "https://a.example/l", page: null });
  expect(first.entry.key).not.toBe(second.entry.key);
  expect(await entries()).toHaveLength(2);
});
