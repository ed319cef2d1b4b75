import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Server, server } from "./composables/server";

const Page = { render: () => null };
let api: Server;
let loads: () => Promise<typeof Page>;

async function openApp() {
  vi.resetModules();
  const [{ router, pageFailed }, { useToasts }] = await Promise.all([
    import("../src/router"),
    import("../src/composables/useToasts"),
  ]);
  router.addRoute({ path: "/lazy", name: "lazy", component: () => loads() });
  router.addRoute({ path: "/titled", component: Page, meta: { title: "Titled" } });
  const open = (to: string) => router.push(to).catch(() => {});
  return { router, pageFailed, open, toasts: useToasts().toasts };
}

beforeEach(() => {
  sessionStorage.clear();
  api = server();
  loads = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom loads no other page, and says so
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("scrollTo", () => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a page that the server lacks is reloaded once, then the failure is shown until a page opens", async () => {
  const { open, pageFailed } = await openApp();
  await open("/lazy");
  await vi.waitFor(() => expect(sessionStorage.length).toBe(1));
  expect(pageFailed.value).toBe(false);
  await open("/lazy");
  await vi.waitFor(() => expect(pageFailed.value).toBe(true));
  await open("/titled");
  expect(pageFailed.value).toBe(false);
  expect(sessionStorage.length).toBe(0);
});

test("without the server a message says so, and nothing is reloaded", async () => {
  const { open, pageFailed, toasts } = await openApp();
  api.isDown = true;
  await open("/lazy");
  await vi.waitFor(() => expect(toasts.map(({ tone }) => tone)).toEqual(["bad"]));
  expect([pageFailed.value, sessionStorage.length]).toEqual([false, 0]);
});

test("the window is named after its page, and texts name it themselves", async () => {
  const { open } = await openApp();
  await open("/titled");
  expect(document.title).toBe("Titled · Nexus");
  loads = async () => Page;
  await open("/lazy");
  expect(document.title).toBe("Titled · Nexus");
});

test("a new page begins at its top, one that is returned to where it was, a text decides for itself", async () => {
  const { router } = await openApp();
  const goTo = (to: string, saved: { top: number; left: number } | null = null, from = "/dashboard") =>
    router.options.scrollBehavior?.(router.resolve(to) as never, router.resolve(from) as never, saved);
  expect(goTo("/settings/import")).toEqual({ top: 0 });
  expect(goTo("/", { top: 800, left: 0 })).toEqual({ top: 800, left: 0 });
  expect(goTo("/read/m1", { top: 800, left: 0 })).toBe(false);
  expect(goTo("/dashboard?receipt=i1")).toBe(false); // a drawer
});

test("every address has a page", async () => {
  const { router } = await openApp();
  expect(router.resolve("/settings").matched.at(-1)?.redirect).toEqual({ name: "imports" });
  expect(router.resolve("/library/highlights/review").name).toBe("review");
  expect(router.resolve("/nothing/here").name).toBe("not-found");
});
