/** The parts of the browser that the background script uses: storage of settings, and IndexedDB. */
import "fake-indexeddb/auto";

const settings: Record<string, unknown> = {};

export function startBrowser(changed: Record<string, unknown>): void {
  for (const name of Object.keys(settings)) delete settings[name];
  Object.assign(settings, changed);
  const local = {
    get: async (defaults: Record<string, unknown>) => ({ ...defaults, ...settings }),
    set: async (values: Record<string, unknown>) => void Object.assign(settings, values),
  };
  Object.assign(globalThis, { chrome: { storage: { local } } });
}
