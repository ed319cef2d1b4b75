import { vi } from "vitest";

/** Others for each file: a page of an earlier one may still be sending what it finds of its user in this browser. */
export const ADA: string = crypto.randomUUID();
export const BEN: string = crypto.randomUUID();

interface Received {
  method: string;
  path: string;
  query: string;
  body: unknown;
  /** No cache may respond to it. */
  isFresh: boolean;
}

export const respond = (status: number, body: unknown) =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });
const problem = (status: number, error: string, message: string) => respond(status, { detail: { error, message } });

const brokenOff = () =>
  new Response(
    new ReadableStream({
      start: (body) => body.error(new TypeError("network error")),
    }),
    { status: 200, headers: { "Content-Type": "application/json" } },
  );

/** A stand-in for the server: it responds as the real one does, and records its requests. */
export function server() {
  const state = {
    /** Null: nobody is signed in. */
    user: ADA as string | null,
    isOperator: false,
    isDown: false,
    /** It does what is requested, but its response breaks off. */
    breaksOff: false,
    /** It does what is requested, but responds only then. */
    holdUntil: Promise.resolve(),
    /** It has read what it is asked for, but responds only then. */
    holdReads: Promise.resolve(),
    requests: [] as Received[],
    done: [] as Received[],
    underWay: 0,
    most: 0,
    /** How far its clock is ahead. */
    aheadMs: 0,
    /** It has done what was requested, and responds next. */
    handled: () => {},
    refuse: (_body: Record<string, unknown>, _path: string) => false,
    get: (_path: string, _query: URLSearchParams): unknown => ({}),
    /** It fails at what it is asked for, with this status. */
    fails: (_path: string) => false,
    fault: 500,
    /** It has nothing there. */
    isMissing: (_path: string) => false,
    /** Its own response to a POST instead of that to a save. */
    post: (_path: string): Response | null => null,
    changes: () => state.done,
  };
  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.clone().text();
    const received = {
      method: request.method,
      path: pathname,
      query: searchParams.toString(),
      body: text ? JSON.parse(text) : null,
      isFresh: request.cache === "no-store",
    };
    state.requests.push(received);
    if (state.isDown) throw new TypeError("Failed to fetch");
    if (pathname === "/api/me" && !state.user) return problem(401, "unauthorized", "Sign in.");
    if (pathname === "/api/me") return respond(200, { user_id: state.user, auth: "token", operator: state.isOperator });
    const expected = request.headers.get("X-Expected-User");
    const isEnded = state.fault === 401 && state.fails(pathname);
    if (!isEnded && expected !== state.user && !["/api/session", "/api/health", "/ready"].includes(pathname))
      return problem(409, "other_user", "Somebody else is signed in.");
    if (state.isMissing(pathname)) return problem(404, "not_found", "It is not there.");
    if (state.fails(pathname)) return problem(state.fault, "internal", "It broke.");
    if (request.method === "GET") {
      const read = state.get(pathname, searchParams);
      await state.holdReads;
      return respond(200, read);
    }
    if (state.refuse(received.body ?? {}, pathname)) return problem(422, "invalid_url", "Not like this.");
    state.done.push(received);
    await state.holdUntil;
    if (state.breaksOff) return brokenOff();
    if (received.method !== "POST") return respond(204, null);
    return state.post(pathname) ?? respond(200, { id: `item-${state.done.length}`, status: "queued" });
  }
  const real = globalThis.Request;
  // Node's own Request wants a whole address.
  vi.stubGlobal(
    "Request",
    class extends real {
      constructor(input: RequestInfo | URL, init?: RequestInit) {
        super(typeof input === "string" ? new URL(input, "http://127.0.0.1/") : input, init);
      }
    },
  );
  vi.stubGlobal("fetch", async (request: Request) => {
    state.underWay += 1;
    state.most = Math.max(state.most, state.underWay);
    try {
      const response = await handle(request);
      if (request.method !== "GET") state.handled();
      response.headers.set("X-Server-Time", new Date(Date.now() + state.aheadMs).toISOString());
      return response;
    } finally {
      state.underWay -= 1;
    }
  });
  return state;
}

export type Server = ReturnType<typeof server>;
