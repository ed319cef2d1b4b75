import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type download as Download, nameIn } from "../src/api/downloads";
import { NO_FILTERS } from "../src/api/filters";

const USER = "aaaaaaaa-0000-4000-8000-000000000001";
let asked: Request[] = [];
let answer: () => Response = () => new Response();
let download: typeof Download;

beforeEach(async () => {
  asked = [];
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
    if (new URL(request.url).pathname === "/api/me") return Response.json({ user_id: USER });
    asked.push(request);
    return answer();
  });
  vi.resetModules(); // the client takes Request as it finds it
  ({ download } = await import("../src/api/downloads"));
});
afterEach(() => vi.unstubAllGlobals());

const file = (disposition: string) =>
  new Response("content", { headers: { "Content-Type": "text/html", "Content-Disposition": disposition } });

test("a text is requested for its user and gets the name the server gave it", async () => {
  answer = () => file("attachment; filename=\"Br_cken.html\"; filename*=UTF-8''Br%C3%BCcken%20%E6%B0%B4.html");
  const { name, content } = await download({ mediaId: USER, version: 2 }, "html");
  expect(name).toBe("Brücken 水.html");
  expect(await content.text()).toBe("content");
  expect(asked[0]?.url).toBe(`http://127.0.0.1/media/${USER}/download?format=html&version=2`);
  expect(asked[0]?.headers.get("X-Expected-User")).toBe(USER);
});

test("a list is requested as it is filtered and searched", async () => {
  answer = () => file("attachment; filename*=UTF-8''x.epub");
  await download({ search: { q: "", ...NO_FILTERS } }, "epub");
  await download({ search: { ...NO_FILTERS, q: '"link rot"', kind: "web_article", unread: true } }, "epub");
  await download({ mediaIds: ["m1", "m2"] }, "html");
  expect(asked.map((request) => new URL(request.url).search)).toEqual([
    "?format=epub&archived=false",
    "?format=epub&kind=web_article&unread=true&archived=any&q=%22link%20rot%22",
    "?format=html&media_id=m1&media_id=m2",
  ]);
});

test("a refusal is the server's sentence, not a file", async () => {
  const detail = { error: "too_many_entries", message: "Too many." };
  answer = () => Response.json({ detail }, { status: 422 });
  const refused = download({ search: { q: "a", ...NO_FILTERS } }, "html");
  await expect(refused).rejects.toMatchObject({ status: 422, code: "too_many_entries", message: "Too many." });
});

test("without a readable name the file has one all the same", () => {
  expect(nameIn(null, "epub")).toBe("download.epub");
  expect(nameIn("attachment; filename*=UTF-8''%E0%A4%A", "html")).toBe("download.html");
});
