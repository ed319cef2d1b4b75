import * as texts from "../shared/texts";
import { showCount, showDone, showFailed } from "./badge";
import { answer } from "./messages";
import { entries } from "./outbox";
import { addLink, addPage, type QueuedSave } from "./saving";
import { sendAll } from "./sending";

const MENUS: chrome.contextMenus.CreateProperties[] = [
  { id: "page", title: texts.savePage, contexts: ["page"] },
  { id: "link", title: texts.saveLink, contexts: ["link"] },
  { id: "selection", title: texts.saveSelection, contexts: ["selection"] },
];

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.removeAll(() => {
    for (const menu of MENUS) chrome.contextMenus.create(menu);
  });
  void send();
});
chrome.runtime.onStartup.addListener(() => void send());
chrome.contextMenus.onClicked.addListener((info, tab) => void save(() => fromMenu(info, tab)));
chrome.commands.onCommand.addListener((command, tab) => {
  if (command === "save-page" && tab) void save(() => addPage(tab));
});
chrome.runtime.onMessage.addListener((message, _sender, respond) => {
  void answer(message).then(respond);
  return true; // the answer comes later
});
self.addEventListener("online", () => void send());

function fromMenu(info: chrome.contextMenus.OnClickData, tab: chrome.tabs.Tab | undefined): Promise<QueuedSave> {
  if (info.menuItemId === "link") return addLink(info.linkUrl ?? "");
  if (!tab) throw new Error("a menu of a page without a tab");
  return addPage(tab, info.selectionText ? { selection: info.selectionText } : {});
}

/** Without a window of its own: the icon says what became of it. */
async function save(add: () => Promise<QueuedSave>): Promise<void> {
  try {
    const { entry } = await add();
    await send();
    const left = (await entries()).find((one) => one.key === entry.key);
    if (left?.problem) showFailed(texts.notSaved(left.problem));
    else if (!left) showDone();
  } catch (error) {
    showFailed(texts.notSaved(error instanceof Error ? error.message : String(error)));
  }
}

async function send(): Promise<void> {
  await sendAll(() => void showCount());
  await showCount();
}
