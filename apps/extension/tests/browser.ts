/** The parts of the browser that the background script uses: settings, IndexedDB, tabs, their pages, and the icon. */
import "fake-indexeddb/auto";
import type { CapturedPage } from "../src/shared/types";

const settings: Record<string, unknown> = {};
/** What the icon shows. */
export const icon = { text: "" };
/** What a tab shows; `page` null: extensions may not look at it. */
export const tab: { url: string; title: string; page: CapturedPage | null } = { url: "", title: "", page: null };

export function startBrowser(changed: Record<string, unknown>): void {
  for (const name of Object.keys(settings)) delete settings[name];
  Object.assign(settings, changed);
  const local = {
    get: async (defaults: Record<string, unknown>) => ({ ...defaults, ...settings }),
    set: async (values: Record<string, unknown>) => void Object.assign(settings, values),
  };
  const action = {
    setBadgeText: async ({ text }: { text: string }) => {
      icon.text = text;
    },
    setBadgeBackgroundColor: async () => {},
    setTitle: async () => {},
  };
  const tabs = { get: async (id: number) => ({ id, url: tab.url, title: tab.title }) };
  const executeScript = async () => {
    if (!tab.page) throw new Error("Cannot access a chrome:// URL");
    return [{ result: tab.page }];
  };
  Object.assign(globalThis, { chrome: { storage: { local }, action, tabs, scripting: { executeScript } } });
}
