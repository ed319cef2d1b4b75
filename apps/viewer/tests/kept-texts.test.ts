import { beforeEach, expect, test } from "vitest";
import { forgetTexts } from "../src/offline/kept-texts";

const [A, B, C] = ["a", "b", "c"].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000001`) as [
  string,
  string,
  string,
];
const at = (path: string) => `http://127.0.0.1${path}`;
const picture = (name: string) => `/media/image?url=${name}`;

/** A cache as the browser has it, as far as this needs one. */
class FakeCache {
  readonly held = new Map<string, string>();
  keys = async () => [...this.held.keys()].map((url) => new Request(url));
  match = async (request: Request) =>
    this.held.has(request.url) ? new Response(this.held.get(request.url)) : undefined;
  put = async (request: Request, response: Response) => void this.held.set(request.url, await response.text());
  delete = async (request: Request) => this.held.delete(request.url);
  /** A text with its pictures. */
  text(mediaId: string, shown: string[], held: string[] = shown): void {
    const html = shown.map((name) => `<img src="${picture(name)}">`).join("");
    this.held.set(at(`/media/${mediaId}/fragments`), JSON.stringify({ data: [{ html_sanitized: html }] }));
    this.held.set(at(`/api/library/${mediaId}`), "{}");
    for (const name of held) this.held.set(at(picture(name)), `picture ${name}`);
  }
  has = (name: string) => this.held.get(at(picture(name)));
}

let [pinned, opened] = [new FakeCache(), new FakeCache()];
beforeEach(() => {
  [pinned, opened] = [new FakeCache(), new FakeCache()];
});
const forget = (...ids: string[]) => forgetTexts(pinned as unknown as Cache, opened as unknown as Cache, ids);

test("a text that is no longer pinned goes with its pictures, except those that another one shows", async () => {
  pinned.text(A, ["one", "both"]);
  pinned.text(B, ["both", "two"]);
  await forget(A);
  expect([pinned.has("one"), pinned.has("both"), pinned.has("two")]).toEqual([
    undefined,
    "picture both",
    "picture two",
  ]);
  expect([...pinned.held.keys()].some((url) => url.includes(A))).toBe(false);
  expect(opened.held.size).toBe(0);
});

test("what was opened, too, keeps its pictures", async () => {
  pinned.text(A, ["one"]);
  pinned.text(B, ["two"]);
  opened.text(A, ["one"], []); // they were there already
  opened.text(C, ["two", "three"], ["three"]);
  await forget(A, B);
  expect(pinned.held.size).toBe(0);
  expect([opened.has("one"), opened.has("two"), opened.has("three")]).toEqual([
    "picture one",
    "picture two",
    "picture three",
  ]);
});
