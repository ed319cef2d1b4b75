/** Takes a page, a link or a selection into the outbox. */
import { loadSettings } from "../shared/settings";
import * as texts from "../shared/texts";
import type { CapturedPage } from "../shared/types";
import { addEntry, type OutboxEntry } from "./outbox";

const MAX_BYTES = 20_000_000;
const IS_WEB = /^https?:/i;

class NotSavedError extends Error {}

export interface QueuedSave {
  entry: OutboxEntry;
  hint: string | null; // why only the link was taken
}

interface SaveOptions {
  itemId?: string | null;
  selection?: string;
}

/** The page of a tab as it is shown now; its link where the browser does not let extensions look. */
export async function addPage(tab: chrome.tabs.Tab, options: SaveOptions = {}): Promise<QueuedSave> {
  const page = await capturePage(tab);
  const url = page?.url ?? tab.url ?? "";
  if (!IS_WEB.test(url)) throw new NotSavedError(texts.noPage);
  const bytes = page ? new Blob([page.html]).size : 0;
  const isTooLarge = bytes > MAX_BYTES;
  const { mode } = await loadSettings();
  const itemId = page?.itemId ?? options.itemId ?? null;
  const entry: OutboxEntry = {
    ...emptyEntry(url, page?.title ?? tab.title ?? ""),
    page: page && !isTooLarge ? { ...page, selection: options.selection ?? page.selection } : null,
    itemId,
    isLinkFirst: mode === "when-needed" && !itemId && !(options.selection ?? page?.selection),
  };
  await addEntry(entry);
  return { entry, hint: hintFor(page, isTooLarge, bytes) };
}

function hintFor(page: CapturedPage | null, isTooLarge: boolean, bytes: number): string | null {
  if (isTooLarge) return texts.tooLarge(Math.ceil(bytes / 1_000_000));
  return page ? null : texts.linkOnly;
}

export async function addLink(url: string): Promise<QueuedSave> {
  if (!IS_WEB.test(url)) throw new NotSavedError(texts.noPage);
  const entry = emptyEntry(url, "");
  await addEntry(entry);
  return { entry, hint: null };
}

function emptyEntry(url: string, title: string): OutboxEntry {
  const common = { url, title, tags: [], note: "", page: null, itemId: null };
  const state = { isLinkFirst: false, linkItemId: null, described: null, delivered: null, problem: null };
  return { ...common, ...state, key: crypto.randomUUID(), addedAt: Date.now() };
}

async function capturePage(tab: chrome.tabs.Tab): Promise<CapturedPage | null> {
  if (tab.id === undefined) return null;
  try {
    const [result] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ["capture.js"] });
    return (result?.result as CapturedPage | undefined) ?? null;
  } catch {
    return null; // the browser's own pages, its store, a PDF
  }
}
