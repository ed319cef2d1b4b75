// What the pages and their service worker agree on. It is one script without imports, so it has copies of these; it
// imports their types, and a copy that differs does not compile.

/** Who is signed in, as the server said last. */
export const SESSION_CACHE = "nexus-session";
/** Followed by the user: what they opened. */
export const OPENED_TEXTS = "nexus-texts-";
/** Followed by the user: what they keep offline. Named so by earlier versions, which have kept texts under it. */
export const PINNED_TEXTS = "nexus-texts-wanted-";
/** The cache of all users that earlier versions had; the names of both text caches begin with it. */
export const TEXTS_WITHOUT_USER = "nexus-texts";
/** In a request: keep the response offline while all that this browser keeps has fewer bytes than this. */
export const LIMIT_HEADER = "X-Keep-Offline";
/** The status with which the service worker says that there is no room for it. */
export const NO_ROOM = 507;
