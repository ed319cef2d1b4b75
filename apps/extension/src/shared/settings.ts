export type CaptureMode = "always" | "when-needed";

export interface Settings {
  server: string;
  token: string;
  mode: CaptureMode;
}

const DEFAULT_SERVER = "http://127.0.0.1:8000";
const DEFAULTS: Settings = { server: DEFAULT_SERVER, token: "", mode: "always" };

/** Of this browser only: a token is no thing to synchronise. */
export async function loadSettings(): Promise<Settings> {
  return (await chrome.storage.local.get({ ...DEFAULTS })) as unknown as Settings;
}

export async function storeSettings(changed: Partial<Settings>): Promise<void> {
  await chrome.storage.local.set(changed);
}

/** The origin and path of a server as it was typed, or null. */
export function readServer(typed: string): string | null {
  const text = typed.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${isLocal(text) ? "http" : "https"}://${text}`;
  if (!text || !URL.canParse(withScheme)) return null;
  const url = new URL(withScheme);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  const isHost = /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/i.test(url.hostname); // Chromium takes spaces, too
  if (!isWeb || !isHost || url.username || url.password) return null;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const isLocal = (text: string): boolean => /^(localhost|127\.|\[::1\])/i.test(text);
