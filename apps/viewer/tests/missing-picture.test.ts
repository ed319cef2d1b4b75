import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { canonicalText, lineAt } from "../src/canonical-text";
import { watchPicture } from "../src/components/reader/pictures/missing-picture";

let respond: () => Promise<Response>;
const refusal = (status: number, error: string) => async () =>
  new Response(JSON.stringify({ detail: { error, message: "" } }), { status });

function pictureIn(html: string): HTMLElement {
  const prose = document.createElement("div");
  prose.innerHTML = html;
  for (const image of prose.querySelectorAll("img")) watchPicture(image);
  return prose;
}
const fail = (prose: HTMLElement) => prose.querySelector("img")?.dispatchEvent(new Event("error"));
const HTML = '<p>Before</p><p><img alt="A bridge" src="/media/image?url=a"></p><p>After</p>';

beforeEach(() => vi.stubGlobal("fetch", () => respond()));
afterEach(() => vi.unstubAllGlobals());

test("a picture that is gone says so, with what it showed", async () => {
  respond = refusal(404, "picture_gone");
  const prose = pictureIn(HTML);
  fail(prose);
  await vi.waitFor(() => expect(prose.querySelector("img")).toBeNull());
  const box = prose.querySelector(".missing-picture");
  expect(box?.textContent).toBe("A bridgeThis picture is gone.");
  expect(box?.querySelector("button")).toBeNull();
});

test.each([
  [404, "picture_refused"],
  [404, "not_found"],
])("%i %s: it cannot be shown", async (status, code) => {
  respond = refusal(status, code);
  const prose = pictureIn(HTML);
  fail(prose);
  await vi.waitFor(() => expect(prose.textContent).toContain("This picture can't be shown."));
});

test("one that couldn't be loaded is tried again on a click", async () => {
  respond = refusal(504, "image_timeout");
  const prose = pictureIn(HTML);
  fail(prose);
  await vi.waitFor(() => expect(prose.textContent).toContain("couldn't be loaded"));
  prose.querySelector("button")?.click();
  expect(prose.querySelector("img")?.getAttribute("src")).toBe("/media/image?url=a");
  expect(prose.querySelector(".missing-picture")).toBeNull();
  fail(prose);
  await vi.waitFor(() => expect(prose.querySelector(".missing-picture")).not.toBeNull());
});

test("without a connection it says that the picture is not here", async () => {
  respond = () => Promise.reject(new TypeError("Failed to fetch"));
  const prose = pictureIn(HTML);
  fail(prose);
  await vi.waitFor(() => expect(prose.textContent).toContain("not in this browser yet"));
});

test("in a link there is no button, in a line of text only what it showed", async () => {
  respond = refusal(502, "image_unavailable");
  const linked = pictureIn('<a href="https://a.example/"><img src="/media/image?url=a"></a>');
  fail(linked);
  await vi.waitFor(() => expect(linked.textContent).toBe("This picture couldn't be loaded."));
  const inLine = pictureIn('<p>The sign <img class="in-line" alt="STOP" src="/media/image?url=a"> is old.</p>');
  fail(inLine);
  await vi.waitFor(() => expect(inLine.querySelector<HTMLElement>(".in-line .alt")?.textContent).toBe("STOP"));
  expect(inLine.querySelector(".why")).toBeNull();
});

test("the box is no part of the text: places in it stay where they are", async () => {
  respond = refusal(404, "picture_gone");
  const prose = pictureIn(HTML);
  fail(prose);
  await vi.waitFor(() => expect(prose.querySelector(".missing-picture")).not.toBeNull());
  expect(lineAt(prose, canonicalText(HTML), "Before\n".length)?.textContent).toBe("After");
});
