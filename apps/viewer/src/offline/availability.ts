/** Whether this browser, at this address, may run a service worker: what reading offline and installing need. */
export function offlineAvailability(): "available" | "insecure" | "unsupported" {
  if (!window.isSecureContext) return "insecure";
  return "serviceWorker" in navigator && "caches" in window ? "available" : "unsupported";
}
