import createClient from "openapi-fetch";
import * as texts from "@/texts";
import { ApiError, errorFrom } from "./errors";
import type { paths } from "./openapi";
import { noteServerTime } from "./server-clock";
import type { Me } from "./types";

type Listener = () => void;
const EXPECTED_USER = "X-Expected-User";
/** Requests that may be sent before the user is known. */
const WITHOUT_USER = new Set(["/api/me", "/api/session", "/api/health", "/ready"]);
const signedOut = new Set<Listener>();
const otherUser = new Set<Listener>();
let user: string | null = null;
let pending: Promise<Me> | null = null;

/** Called when the server says that nobody is signed in any more. */
export function onSignedOut(listener: Listener): void {
  signedOut.add(listener);
}

/** Called when a response says that another user is signed in than this page shows. */
export function onOtherUser(listener: Listener): void {
  otherUser.add(listener);
}

/** The signed-in user; all later requests of this page are made for them. */
export function fetchMe(): Promise<Me> {
  pending ??= client
    .GET("/api/me")
    .then(dataOf)
    .then((me) => {
      if (user !== null && user !== me.user_id) for (const listener of otherUser) listener();
      user ??= me.user_id; // a page that shows another one's data is being left, and must not act as the new one
      return me;
    })
    .catch((error) => {
      if (isSignedOut(error)) for (const listener of signedOut) listener();
      throw error;
    })
    .finally(() => {
      pending = null;
    });
  return pending;
}

/** Every request names its user, and the server refuses it if another one is signed in by now. */
async function withExpectedUser(request: Request): Promise<Request> {
  const isOpen = WITHOUT_USER.has(new URL(request.url).pathname);
  if (!isOpen && !request.headers.has(EXPECTED_USER))
    request.headers.set(EXPECTED_USER, user ?? (await fetchMe()).user_id);
  return request;
}

/** Never responded to from a cache, the service worker's included. */
const isAlwaysSent = ({ method, cache }: Request) => method !== "GET" || cache === "no-store";

export const expectUser = (userId: string) => ({ headers: { [EXPECTED_USER]: userId } });

/** How `client` sends each request. */
export async function send(request: Request): Promise<Response> {
  await withExpectedUser(request);
  const sentAt = Date.now();
  try {
    const response = await fetch(request);
    if (isAlwaysSent(request)) noteServerTime(response.headers.get("X-Server-Time"), sentAt, Date.now());
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new ApiError(0, "offline", texts.errors.offline);
  }
}

export const client = createClient<paths>({ fetch: send });

interface Result<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

function dataOf<Data>({ data, error, response }: Result<Data>): Data {
  if (response.ok) return data as Data;
  throw errorFrom(response.status, error);
}

const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401;

/** Returns the data of a response or throws its error. */
export async function unwrap<Data>(result: Promise<Result<Data>>): Promise<Data> {
  const received = await result;
  try {
    return dataOf(received);
  } catch (error) {
    // Or another window has signed in since this was requested, which ended the session of this request.
    if (isSignedOut(error)) fetchMe().catch(() => {});
    if (error instanceof ApiError && error.isOtherUser) for (const listener of otherUser) listener();
    throw error;
  }
}

interface Versioned<Data> {
  data: Data;
  etag: string;
}

/** As `unwrap`, with the ETag. */
export async function unwrapVersioned<Data>(result: Promise<Result<Data>>): Promise<Versioned<Data>> {
  const { response } = await result;
  return { data: await unwrap(result), etag: response.headers.get("etag") ?? "" };
}
