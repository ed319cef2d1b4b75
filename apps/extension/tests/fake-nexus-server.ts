/** A real HTTP server that answers as Nexus does, and remembers what it was sent. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export interface Received {
  method: string;
  path: string;
  key: string | undefined;
  token: string | undefined;
  encoding: string | undefined;
  body: Record<string, unknown>;
}

interface Response {
  status?: number;
  body: unknown;
}

export type Respond = (received: Received) => Response | Promise<Response>;

export class FakeNexusServer {
  readonly received: Received[] = [];
  respond: Respond = () => ({ body: {} });
  private server: Server | null = null;

  async start(): Promise<string> {
    this.server = createServer(async (request, response) => {
      const received = await read(request);
      this.received.push(received);
      const { status = 200, body } = await this.respond(received);
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => this.server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  /** `POST /items` and so on, in order. */
  get calls(): string[] {
    return this.received.map(({ method, path }) => `${method} ${path}`);
  }
}

export const refusal = (status: number, message: string) => ({
  status,
  body: { detail: { error: "code", message, request_id: "r" } },
});

async function read(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const encoding = request.headers["content-encoding"];
  const bytes = encoding === "gzip" ? gunzipSync(Buffer.concat(parts)) : Buffer.concat(parts);
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    key: request.headers["idempotency-key"] as string | undefined,
    token: request.headers.authorization,
    encoding,
    body: bytes.length ? JSON.parse(bytes.toString()) : {},
  };
}
