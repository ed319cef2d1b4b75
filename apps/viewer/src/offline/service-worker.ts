/// <reference lib="webworker" />
// Keeps the app itself, and each text with its pictures once it was opened. Fresh when there is a connection.
import { eachOf } from "./each-of";
import { forgetTexts } from "./kept-texts";
import { picturesIn } from "./pictures-in";

declare const self: ServiceWorkerGlobalScope;

const FILES: string[] = JSON.parse("__FILES_OF_THIS_BUILD__");
const APP = `nexus-app-${hash(FILES.join())}`;
/** Who is signed in, as the server said last. */
const SESSION = "nexus-session";
/** Followed by the user: the next user of this browser must not see what another one opened. */
const TEXTS = "nexus-texts-";
const TEXTS_WITHOUT_USER = "nexus-texts"; // of earlier versions
const KEPT_TEXTS = 3000;
const TIMEOUT_MS = 4000;
/** Of one text; the browser requests the others itself when they come into sight. */
const MAX_PICTURES = 200;
const PICTURES_AT_ONCE = 3;
/** Of what this browser lets us keep; the rest is for texts. */
const SHARE_FOR_PICTURES = 0.6;

const READABLE = /^\/(media\/[0-9a-f-]{36}(\/(fragments|highlights))?|api\/library\/[0-9a-f-]{36}(\/read)?)$/;
const FRAGMENTS = /\/fragments$/;
const LISTED = /^\/api\/(library|health|tags|saved-searches)$/;

function hash(text: string): string {
  let value = 5381;
  for (const character of text) value = ((value * 33) ^ character.charCodeAt(0)) >>> 0;
  return value.toString(36);
}

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(APP)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => isOldApp(name) || name === TEXTS_WITHOUT_USER))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

const isOldApp = (name: string) => name.startsWith("nexus-app-") && name !== APP;

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (url.pathname.startsWith("/assets/") || url.pathname === "/theme.js") event.respondWith(file(request));
  else if (url.pathname === "/api/me") event.respondWith(me(request, event));
  else if (url.pathname === "/media/image") event.respondWith(picture(request, event));
  else if (READABLE.test(url.pathname) || LISTED.test(url.pathname)) event.respondWith(text(request, event));
});

/** What is no longer to be kept offline. Here, because the page cannot share modules with this script. */
self.addEventListener("message", (event) => {
  const { user, forget } = event.data as { user: string; forget: string[] };
  const done = caches.open(TEXTS + user).then((cache) => forgetTexts(cache, forget));
  event.waitUntil(done.finally(() => event.ports[0]?.postMessage(null)));
});

/** The server's page when it responds in time, else the cached one. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    const kept = await caches.match("/");
    return kept ?? Response.error();
  }
}

async function file(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(APP)).put(request, answer.clone());
  return answer;
}

/** The signed-in user. When that is another one than before, the caches of the earlier one are deleted. */
async function me(request: Request, event: FetchEvent): Promise<Response> {
  const ask = async () => {
    const answer = await fetch(request);
    if (answer.ok) {
      const { user_id: user } = await answer.clone().json();
      await deleteTexts((name) => name !== TEXTS + user);
      // Opened only here: after a sign-out not even an empty cache is left.
      await (await caches.open(SESSION)).put("/api/me", answer.clone());
    } else if (answer.status === 401) {
      await deletePersonalCaches();
    }
    return answer;
  };
  return freshOrKept(ask(), keptUser, event);
}

/** The signed-in user, as the server said last. */
const keptUser = () => caches.match("/api/me", { cacheName: SESSION });

/** The server's response; when it fails or takes long, the cached one if there is one. */
async function freshOrKept(
  fresh: Promise<Response>,
  findKept: () => Promise<Response | undefined>,
  event: FetchEvent,
): Promise<Response> {
  event.waitUntil(fresh.catch(() => {})); // also a late response is cached for the next time
  const patience = new Promise<null>((resolve) => setTimeout(resolve, TIMEOUT_MS, null));
  const first = await Promise.race([fresh.catch(() => null), patience]);
  return first ?? (await findKept()) ?? fresh;
}

async function deleteTexts(isGone: (name: string) => boolean): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(TEXTS) && isGone(name));
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function deletePersonalCaches(): Promise<void> {
  await caches.delete(SESSION);
  await deleteTexts(() => true);
}

/** The texts of a request's user. It names them, except for pictures, which the browser itself requests. */
async function textsFor(request: Request): Promise<Cache | null> {
  const named = request.headers.get("X-Expected-User");
  const kept = named ? null : await keptUser();
  const user = named ?? (await kept?.json())?.user_id;
  return user ? caches.open(TEXTS + user) : null;
}

async function text(request: Request, event: FetchEvent): Promise<Response> {
  const cache = await textsFor(request);
  if (!cache) return fetch(request);
  const ask = async () => {
    const answer = await fetch(request);
    if (answer.ok) event.waitUntil(keepText(cache, request, answer.clone()));
    else if (answer.status === 401) event.waitUntil(deletePersonalCaches());
    else if (answer.status === 404) event.waitUntil(cache.delete(request));
    return answer;
  };
  if (request.cache === "no-store") return ask(); // what is kept will not do
  return freshOrKept(ask(), () => cache.match(request), event);
}

async function keepText(cache: Cache, request: Request, answer: Response): Promise<void> {
  const pictures = FRAGMENTS.test(new URL(request.url).pathname) ? answer.clone() : null;
  await keep(cache, request, answer);
  if (pictures) await keepPictures(cache, request, picturesIn(await pictures.json()));
}

/** All pictures of an opened text, also those that were not scrolled to: without a connection they cannot be fetched. */
async function keepPictures(cache: Cache, request: Request, addresses: string[]): Promise<void> {
  const user = request.headers.get("X-Expected-User");
  await eachOf(addresses.slice(0, MAX_PICTURES), PICTURES_AT_ONCE, async (address) => {
    const isKept = await cache.match(address);
    if (isKept || !(await hasRoom())) return;
    const answer = await fetch(address, user ? { headers: { "X-Expected-User": user } } : {});
    if (answer.ok) await keep(cache, new Request(address), answer);
  });
}

/** Neither over a connection that is to be spared, nor when this browser is nearly full. */
async function hasRoom(): Promise<boolean> {
  const { connection } = self.navigator as WorkerNavigator & { connection?: { saveData?: boolean } };
  if (connection?.saveData) return false;
  const { usage = 0, quota = Number.POSITIVE_INFINITY } = (await self.navigator.storage?.estimate?.()) ?? {};
  return usage < quota * SHARE_FOR_PICTURES;
}

/** Pictures of a text never change, so the cached one will do. */
async function picture(request: Request, event: FetchEvent): Promise<Response> {
  const cache = await textsFor(request);
  if (!cache) return fetch(request);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) event.waitUntil(keep(cache, request, answer.clone()));
  return answer;
}

async function keep(cache: Cache, request: Request, answer: Response): Promise<void> {
  await cache.put(request, answer);
  const kept = await cache.keys();
  if (kept.length > KEPT_TEXTS) {
    await Promise.all(kept.slice(0, kept.length - KEPT_TEXTS).map((old) => cache.delete(old)));
  }
}
