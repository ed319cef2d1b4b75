import type { CapturedPage } from "../shared/types";
import { serialize } from "./serialize";

/** Behind the address of a page that was opened from a failed save of the library, also after redirects. */
const ITEM = /#nexus-item=([0-9a-f-]{36})$/;

/** Injected into the page that is saved; what it gives back goes to the extension, and from there to the server. */
export function run(): CapturedPage {
  return {
    url: location.href.replace(ITEM, ""),
    itemId: location.hash.match(ITEM)?.[1] ?? null,
    title: document.title,
    lang: document.documentElement.lang,
    selection: selectedText(),
    html: serialize(document),
  };
}

function selectedText(): string {
  const frame = document.activeElement;
  const inner = frame instanceof HTMLIFrameElement ? selectionOf(frame) : null;
  return (inner || getSelection()?.toString() || "").trim();
}

function selectionOf(frame: HTMLIFrameElement): string | null {
  try {
    return frame.contentDocument?.getSelection()?.toString() ?? null;
  } catch {
    return null; // of another origin
  }
}
