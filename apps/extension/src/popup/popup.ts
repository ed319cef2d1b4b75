/** Opens with a click on the icon: saves the page at once, then takes tags and a note. */
import { button, byId } from "../shared/elements";
import { ask } from "../shared/messages";
import { loadSettings } from "../shared/settings";
import * as texts from "../shared/texts";
import type { LookupResult, PairingOffer } from "../shared/types";
import { activeTab } from "./active-tab";
import { DescriptionForm } from "./description-form";
import { showWaiting } from "./waiting";

const NEEDS_TEXT = new Set(["needs_user_text", "failed"]);

interface Page {
  tabId: number;
  url: string;
}

async function open(): Promise<void> {
  const tab = await activeTab();
  const page = { tabId: tab?.id ?? -1, url: tab?.url ?? "" };
  const { token } = await loadSettings();
  if (!token) return offerPairing(page);
  void showWaiting();
  const known = await lookup(page);
  if (known && !NEEDS_TEXT.has(known.status)) showExisting(page, known);
  else await save(page, known);
}

/** A server that does not answer must not keep a page from the outbox. */
async function lookup(page: Page): Promise<LookupResult | null> {
  try {
    return page.url ? await ask("lookup", { url: page.url }) : null;
  } catch {
    return null;
  }
}

function showExisting(page: Page, known: LookupResult): void {
  const parts = [texts.alreadySaved, ...(known.highlights ? [texts.highlights(known.highlights)] : [])];
  show(parts.join(" · "), known.title);
  byId("actions").replaceChildren(button(texts.saveAgain, () => void save(page, known)));
  new DescriptionForm({ key: null, url: page.url, mediaId: known.media_id }, known).show();
}

async function save(page: Page, known: LookupResult | null): Promise<void> {
  byId("actions").replaceChildren();
  byId("description").hidden = true;
  const waits = NEEDS_TEXT.has(known?.status ?? "");
  show(texts.saving, waits ? texts.waitsForText : "");
  try {
    const result = await ask("save", { tabId: page.tabId, itemId: waits ? (known?.item_id ?? null) : null });
    show(result.message);
    void showWaiting();
    if (result.state === "refused") return;
    const mediaId = result.saved?.media_id ?? known?.media_id ?? null;
    new DescriptionForm({ key: result.key, url: page.url, mediaId }, known).show();
  } catch (error) {
    show(texts.notSaved(messageOf(error)));
  }
}

async function offerPairing(page: Page): Promise<void> {
  const offer = await findOffer(page);
  const options = button(texts.openOptions, () => void chrome.runtime.openOptionsPage());
  if (!offer) {
    show(texts.notConnected, texts.howToConnect);
    byId("actions").replaceChildren(options);
    return;
  }
  show(texts.connect(offer.server), texts.whatConnects);
  byId("actions").replaceChildren(
    button(texts.connectNow, () => void pair(offer), "primary"),
    options,
  );
}

async function findOffer(page: Page): Promise<PairingOffer | null> {
  try {
    const target = { tabId: page.tabId };
    const [found] = await chrome.scripting.executeScript({ target, files: ["pairing.js"] });
    return (found?.result as PairingOffer | null | undefined) ?? null;
  } catch {
    return null; // a page that extensions may not look at offers nothing
  }
}

async function pair(offer: PairingOffer): Promise<void> {
  byId("actions").replaceChildren();
  try {
    await ask("pair", offer);
    show(texts.connected(offer.server), texts.howToSave);
  } catch (error) {
    show(texts.pairingFailed(messageOf(error)));
  }
}

function show(status: string, details = ""): void {
  byId("status").textContent = status;
  byId("details").textContent = details;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

void open();
