/** A full load: no data of the last user stays in memory, nor in a page that the browser would restore on Back. */
export function leavePage(address: string): void {
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
  window.location.replace(address);
}

/**
 * Only an address of our own: a link to the login must not lead to another site. Read as a browser reads it, which takes
 * "/\t/evil.example" for one of evil.example, and whole, since "/.//evil.example" has a path that is read as such a one.
 */
export function ownAddress(address: unknown): string {
  const { origin } = window.location;
  try {
    const url = new URL(typeof address === "string" ? address : "/", origin);
    return url.origin === origin ? url.href : "/";
  } catch {
    return "/";
  }
}
