/// <reference lib="webworker" />
// Keeps the app itself, each text with its pictures once it was opened, and what the user wants to be kept offline.
// Fresh when there is a connection.
import type * as shared from "./caches";
import { forEachLimit } from "./for-each-limit";
import { FRAGMENTS, forgetTexts } from "./kept-texts";
import { picturesIn } from "./pictures-in";

declare const self: ServiceWorkerGlobalScope;

const FILES: string[] = JSON.parse("__FILES_OF_THIS_BUILD__");
const APP = `nexus-app-${hash(FILES.join())}`;
/** Who is signed in, as the server said last. */
const SESSION: typeof shared.SESSION_CACHE = "nexus-session";
/** Followed by the user: the next user of this browser must not see what another one opened. */
const OPENED: typeof shared.OPENED_TEXTS = "nexus-texts-";
const TEXTS_WITHOUT_USER: typeof shared.TEXTS_WITHOUT_USER = "nexus-texts"; // of earlier versions
/** As many responses, of what was opened, pictures included: the oldest go. */
const MAX_OPENED = 3000;
/**
 * Followed by the user: what is kept because they asked for it ("Keep offline"). In a cache of its own, so that nothing
 * they open pushes it out; what counts is the limit they set, in bytes, which comes with each such request.
 */
const PINNED: typeof shared.PINNED_TEXTS = "nexus-texts-wanted-";
const LIMIT: typeof shared.LIMIT_HEADER = "X-Keep-Offline";
const NO_ROOM: typeof shared.NO_ROOM = 507;
const TIMEOUT_MS = 4000;
/** The most that are kept with one text; the browser requests the others itself when they come into sight. */
const MAX_PICTURES = 200;
const PICTURES_AT_ONCE = 3;
/** How much of the room that this browser gives us pictures may take; the rest is for texts. */
const SHARE_FOR_PICTURES = 0.6;

const READABLE = /^\/(media\/[0-9a-f-]{36}(\/(fragments|highlights))?|api\/library\/[0-9a-f-]{36}(\/read)?)$/;
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
  const both = Promise.all([caches.open(PINNED + user), caches.open(OPENED + user)]);
  const done = both.then(([pinned, opened]) => forgetTexts(pinned, opened, forget));
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
  const fetchNow = async () => {
    const answer = await fetch(request);
    if (answer.ok) {
      const { user_id: user } = await answer.clone().json();
      await deleteTexts((name) => ![OPENED + user, PINNED + user].includes(name));
      // Opened only here: after a sign-out not even an empty cache is left.
      await (await caches.open(SESSION)).put("/api/me", answer.clone());
    } else if (answer.status === 401) {
      await deletePersonalCaches();
    }
    return answer;
  };
  return freshOrKept(fetchNow(), keptUser, event);
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
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, TIMEOUT_MS, null));
  const first = await Promise.race([fresh.catch(() => null), timeout]);
  return first ?? (await findKept()) ?? fresh;
}

async function deleteTexts(isGone: (name: string) => boolean): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(OPENED) && isGone(name));
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function deletePersonalCaches(): Promise<void> {
  await caches.delete(SESSION);
  await deleteTexts(() => true);
}

interface Texts {
  opened: Cache;
  pinned: Cache;
}

/** The texts of a request's user. It names them, except for pictures, which the browser itself requests. */
async function textsFor(request: Request): Promise<Texts | null> {
  const named = request.headers.get("X-Expected-User");
  const kept = named ? null : await keptUser();
  const user = named ?? (await kept?.json())?.user_id;
  return user ? { opened: await caches.open(OPENED + user), pinned: await caches.open(PINNED + user) } : null;
}

const find = async ({ opened, pinned }: Texts, request: RequestInfo) =>
  (await pinned.match(request)) ?? (await opened.match(request));

async function text(request: Request, event: FetchEvent): Promise<Response> {
  const texts = await textsFor(request);
  if (!texts) return fetch(request);
  const limit = Number(request.headers.get(LIMIT));
  const fetchNow = async () => {
    const answer = await fetch(request);
    if (answer.ok && !limit) event.waitUntil(keepOpened(texts, request, answer.clone()));
    else if (answer.ok && !(await keepPinned(texts, request, answer.clone(), limit)))
      return new Response(null, { status: NO_ROOM });
    else if (answer.status === 401) event.waitUntil(deletePersonalCaches());
    else if (answer.status === 404) event.waitUntil(deleteBoth(texts, request));
    return answer;
  };
  if (limit || request.cache === "no-store") return fetchNow(); // what is kept will not do
  return freshOrKept(fetchNow(), () => find(texts, request), event);
}

const deleteBoth = ({ opened, pinned }: Texts, request: Request) =>
  Promise.all([opened.delete(request), pinned.delete(request)]);

async function keepOpened(texts: Texts, request: Request, answer: Response): Promise<void> {
  const pictures = picturesOf(request, answer);
  if (await texts.pinned.match(request)) await texts.pinned.put(request, answer.clone()); // not an older one than this
  await keep(texts.opened, request, answer);
  await forEachLimit(await pictures, PICTURES_AT_ONCE, async (address) => {
    if ((await find(texts, address)) || isSpared() || !(await hasRoom(Number.POSITIVE_INFINITY))) return;
    const picture = await fetchPicture(request, address);
    if (picture.ok) await keep(texts.opened, new Request(address), picture);
  });
}

/**
 * Whether there was room. The page waits until the pictures are there, too, and the text comes last: only then it counts
 * as kept, and a run that was ended in the middle goes on with it.
 */
async function keepPinned(texts: Texts, request: Request, answer: Response, limit: number): Promise<boolean> {
  try {
    const addresses = await picturesOf(request, answer);
    while (addresses.length) {
      const some = addresses.splice(0, PICTURES_AT_ONCE);
      const kept = await Promise.all(some.map((address) => keepPinnedPicture(texts, request, address, limit)));
      if (kept.includes(false)) return false;
    }
    await texts.pinned.put(request, answer);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "QuotaExceededError") return false;
    throw error;
  }
}

/** Whether there was room. One that the server does not have is no reason to ask for it again each time. */
async function keepPinnedPicture(texts: Texts, request: Request, address: string, limit: number): Promise<boolean> {
  if (await texts.pinned.match(address)) return true;
  const opened = await texts.opened.match(address);
  if (!opened && isSpared()) return true;
  if (!(await hasRoom(limit))) return false;
  const picture = opened ?? (await fetchPicture(request, address));
  if (picture.ok) await texts.pinned.put(address, picture);
  return true;
}

/** All of an opened text, also those that were not scrolled to: without a connection they cannot be fetched. */
async function picturesOf(request: Request, answer: Response): Promise<string[]> {
  if (!FRAGMENTS.test(new URL(request.url).pathname)) return [];
  return picturesIn(await answer.clone().json()).slice(0, MAX_PICTURES);
}

function fetchPicture(request: Request, address: string): Promise<Response> {
  const user = request.headers.get("X-Expected-User");
  return fetch(address, user ? { headers: { "X-Expected-User": user } } : {});
}

/** Whether this connection is to be spared. */
const isSpared = () =>
  (self.navigator as WorkerNavigator & { connection?: { saveData?: boolean } }).connection?.saveData ?? false;

/** Neither beyond the limit, nor when this browser is nearly full. */
async function hasRoom(limit: number): Promise<boolean> {
  const { usage = 0, quota = Number.POSITIVE_INFINITY } = (await self.navigator.storage?.estimate?.()) ?? {};
  return usage < Math.min(limit, quota * SHARE_FOR_PICTURES);
}

/** Pictures of a text never change, so the cached one will do. */
async function picture(request: Request, event: FetchEvent): Promise<Response> {
  const texts = await textsFor(request);
  if (!texts) return fetch(request);
  const kept = await find(texts, request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) event.waitUntil(keep(texts.opened, request, answer.clone()));
  return answer;
}

async function keep(opened: Cache, request: Request, answer: Response): Promise<void> {
  await opened.put(request, answer);
  const kept = await opened.keys();
  if (kept.length > MAX_OPENED) {
    await Promise.all(kept.slice(0, kept.length - MAX_OPENED).map((old) => opened.delete(old)));
  }
}
