import { vi } from "vitest";

export const ADA = "aaaaaaaa-0000-4000-8000-000000000001";
export const BEN = "bbbbbbbb-0000-4000-8000-000000000002";

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

const answer = (status: number, body: unknown) =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });
const problem = (status: number, error: string, message: string) => answer(status, { detail: { error, message } });

const brokenOff = () =>
  new Response(
    new ReadableStream({
      start: (body) => body.error(new TypeError("network error")),
    }),
    { status: 200, headers: { "Content-Type": "application/json" } },
  );

/** What is at the other end of the network: it answers as the real one does, and notes what it was asked. */
export function server() {
  const state = {
    user: ADA,
    isDown: false,
    /** It does what it is asked, but its answer breaks off. */
    breaksOff: false,
    /** It does what it is asked, but answers only then. */
    holdUntil: Promise.resolve(),
    requests: [] as Asked[],
    done: [] as Asked[],
    underWay: 0,
    most: 0,
    refuse: (_body: Record<string, unknown>) => false,
    get: (_path: string): unknown => ({}),
    changes: () => state.done,
  };
  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.clone().text();
    const asked = { method: request.method, path: pathname, body: text ? JSON.parse(text) : null };
    state.requests.push(asked);
    if (state.isDown) throw new TypeError("Failed to fetch");
    if (pathname === "/api/me") return answer(200, { user_id: state.user, auth: "token", operator: false });
    const expected = request.headers.get("X-Expected-User");
    if (expected !== state.user && pathname !== "/api/session")
      return problem(409, "other_user", "Somebody else is signed in.");
    if (request.method === "GET") return answer(200, state.get(pathname));
    if (state.refuse(asked.body ?? {})) return problem(422, "invalid_url", "Not like this.");
    state.done.push(asked);
    await state.holdUntil;
    if (state.breaksOff) return brokenOff();
    return asked.method === "POST"
      ? answer(200, { id: `item-${state.done.length}`, status: "queued" })
      : answer(204, null);
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
      return await respond(request);
    } finally {
      state.underWay -= 1;
    }
  });
  return state;
}

export type Server = ReturnType<typeof server>;
