import type { CapturedPage, LookupResult, Saved } from "./types";

const TIMEOUT_MS = 60_000;
const COMPRESSED_FROM = 50_000;

/** The server answered with an error; `message` is its own sentence. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The same request may succeed later, or with another token. */
  get mayPass(): boolean {
    return [401, 403, 408, 421, 425, 429].includes(this.status) || this.status >= 500;
  }
}

/** No answer: no connection, no server, or something else at its address. */
export class UnreachableError extends Error {}

interface CaptureBody extends Omit<CapturedPage, "itemId"> {
  tags: string[];
  note: string;
  item_id: string | null;
}

export class Server {
  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  saveLink(url: string, key: string): Promise<{ id: string; status: string }> {
    return this.send("POST", "/items", { url }, { "Idempotency-Key": key });
  }

  item(id: string): Promise<{ id: string; status: string }> {
    return this.send("GET", `/items/${id}`);
  }

  capture(body: CaptureBody, key: string): Promise<Saved> {
    const { item_id, note, selection, lang, title, ...rest } = body;
    const optional = { item_id, note, selection, lang, title };
    const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value));
    return this.send("POST", "/api/captures", { ...rest, ...given }, { "Idempotency-Key": key });
  }

  /** Whether the user has this page; null if not. */
  async lookup(url: string): Promise<LookupResult | null> {
    const { page } = await this.send<{ page: LookupResult | null }>(
      "GET",
      `/api/captures/lookup?${new URLSearchParams({ url })}`,
    );
    return page;
  }

  async tags(): Promise<string[]> {
    const { tags } = await this.send<{ tags: { name: string }[] }>("GET", "/api/tags");
    return tags.map((tag) => tag.name);
  }

  /** Tags and note of an entry. */
  describe(mediaId: string, changed: { tags?: string[]; add_tags?: string[]; note?: string | null }): Promise<unknown> {
    return this.send("PATCH", `/api/library/${mediaId}`, changed);
  }

  /** A token for the code that the server's settings page shows. */
  exchange(code: string, name: string): Promise<{ token: string }> {
    return this.send("POST", "/api/pairings/exchange", { code, name });
  }

  private async send<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const content = body === undefined ? null : await encode(body);
    let response: Response;
    try {
      response = await fetch(this.url + path, {
        method,
        body: content?.body ?? null,
        headers: { ...this.authorization(), ...content?.headers, ...headers },
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new UnreachableError(String(error));
    }
    return read<T>(response);
  }

  private authorization(): Record<string, string> {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }
}

async function encode(body: unknown): Promise<{ body: BodyInit; headers: Record<string, string> }> {
  const json = JSON.stringify(body);
  const headers = { "Content-Type": "application/json" };
  if (json.length < COMPRESSED_FROM) return { body: json, headers };
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream("gzip"));
  return { body: await new Response(packed).blob(), headers: { ...headers, "Content-Encoding": "gzip" } };
}

async function read<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const detail = (body as { detail?: { error?: unknown; message?: unknown } } | null)?.detail;
  if (typeof detail?.message !== "string") {
    throw new UnreachableError(`No Nexus answers there (status ${response.status}).`);
  }
  throw new RefusedError(response.status, String(detail.error), detail.message);
}
