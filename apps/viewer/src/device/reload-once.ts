const KEY = "nexus.reloaded";

/**
 * Whether a page that could not be loaded may be reloaded: once per address, until a page could be loaded. Never in a
 * browser without storage, which could not tell the second time from the first.
 */
export function mayReload(address: string): boolean {
  try {
    if (sessionStorage.getItem(KEY) === address) return false;
    sessionStorage.setItem(KEY, address);
    return true;
  } catch {
    return false;
  }
}

export function pageLoaded(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Forbidden: then nothing was stored either.
  }
}
