import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { respond, type Server, server } from "../../composables/server";
import { render } from "../render";

const MINUTE_MS = 60_000;
let api: Server;
let page: Awaited<ReturnType<typeof render>>;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules(); // after the server stands in for `fetch`
  api = server();
  api.get = () => [];
  const expires = () => new Date(Date.now() + 10 * MINUTE_MS).toISOString();
  api.post = () => respond(201, { code: "nxp_1", expires_at: expires() });
  const { default: BrowserPairing } = await import("../../../src/components/settings/BrowserPairing.vue");
  page = await render(BrowserPairing);
});
afterEach(() => {
  page.unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const code = () => page.root.querySelector<HTMLInputElement>("input")?.value;
const button = () => page.root.querySelector("button") as HTMLButtonElement;
const polls = () => api.requests.filter(({ method, path }) => method === "GET" && path === "/api/pairings").length;

test("a code is shown, and browsers are polled, until it has expired", async () => {
  button().click();
  await vi.waitFor(() => expect(code()).toBe("nxp_1"));
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  expect(code()).toBe("nxp_1");
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(code()).toBeUndefined();
  const before = polls();
  expect(before).toBeGreaterThan(2);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(polls()).toBe(before);
  button().click();
  await vi.waitFor(() => expect(code()).toBe("nxp_1"));
});
