import { offlineAvailability } from "./availability";
import { SESSION_CACHE, TEXTS_WITHOUT_USER } from "./caches";

/** Makes the app installable and what was opened readable without a connection. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || offlineAvailability() !== "available") return;
  navigator.serviceWorker.register("/service-worker.js").catch((error) => console.warn("no offline reading:", error));
}

/** Texts kept for reading offline belong to the user who was signed in. */
export async function deleteOfflineTexts(): Promise<void> {
  if (!("caches" in window)) return;
  try {
    const isPersonal = (name: string) => name.startsWith(TEXTS_WITHOUT_USER) || name === SESSION_CACHE;
    const personal = (await caches.keys()).filter(isPersonal);
    await Promise.all(personal.map((name) => caches.delete(name)));
  } catch (error) {
    // Signing in or out goes on; the service worker deletes them once the server names another user, or none.
    console.warn("texts kept for reading offline could not be deleted:", error);
  }
}
