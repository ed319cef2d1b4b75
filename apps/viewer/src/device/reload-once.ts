const KEY = "nexus.reloaded";

/**
 * Whether a page that could not be loaded may be loaded anew: once per address, until a page could be loaded. A browser
 * without storage could not tell the second time from the first, and does not begin.
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
    // Forbidden: then it was never kept either.
  }
}
