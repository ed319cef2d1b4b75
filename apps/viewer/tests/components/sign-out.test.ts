import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADA, type Server, server } from "../composables/server";

let api: Server;
let unmount = () => {};
const done = () => api.changes().map(({ method, path }) => `${method} ${path}`);

beforeEach(() => {
  localStorage.clear();
  api = server();
  vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom cannot go to another page, and says so
  HTMLDialogElement.prototype.showModal = () => {}; // which jsdom does not have
  HTMLDialogElement.prototype.close = () => {};
});
afterEach(() => {
  unmount();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** One highlight is not sent yet. */
async function openButton(): Promise<HTMLElement> {
  vi.resetModules();
  const { highlightQueue } = await import("../../src/highlights/highlight-queue");
  const { default: SignOut } = await import("../../src/components/shell/SignOut.vue");
  const { render } = await import("./render");
  highlightQueue.setUser(ADA);
  highlightQueue.add("m1", "h1", { part: "color", color: "pink" });
  const shown = await render(SignOut);
  unmount = shown.unmount;
  return shown.root.querySelector("button") as HTMLElement;
}

test("highlights that can be sent are sent, and nobody is asked", async () => {
  (await openButton()).click();
  await vi.waitFor(() => expect(done()).toEqual(["PATCH /highlights/h1", "DELETE /api/session"]));
  expect(document.querySelector("dialog")).toBeNull();
});

test("whoever has highlights that cannot be sent is asked", async () => {
  api.isDown = true;
  (await openButton()).click();
  await vi.waitFor(() => expect(document.querySelector("dialog")?.textContent).toContain("1 change"));
  expect(done()).toEqual([]);
});
