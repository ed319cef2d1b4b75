import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Server, server } from "../../composables/server";
import { render } from "../render";

const COUNTS = { succeeded: 2, failed: 0, cancelled: 0, stale: 0, queued: 0, running: 0 };
const JOBS = ["a", "b"].map((job_id) => ({ job_id, status: "succeeded", created_at: "2026-01-02T03:04:05Z" }));
let api: Server;
let page: Awaited<ReturnType<typeof render>>;
/** Lets the server respond with the log of the first job. */
let respondLate = () => {};

beforeEach(async () => {
  vi.resetModules(); // after the server stands in for `fetch`
  api = server();
  const late = new Promise<void>((resolve) => {
    respondLate = resolve;
  });
  api.get = (path, query) => {
    const id = path.match(/^\/api\/jobs\/(\w+)\/log-tail$/)?.[1];
    api.holdReads = id === "a" ? late : Promise.resolve();
    if (id) return { text: `log of ${id}`, truncated: false };
    const isHistory = query.getAll("status").includes("succeeded");
    return { jobs: isHistory ? JOBS : [], next_cursor: null, counts: COUNTS, paused: false };
  };
  const { default: JobHistory } = await import("../../../src/components/pipeline/JobHistory.vue");
  page = await render(JobHistory);
});
afterEach(() => {
  page.unmount();
  vi.unstubAllGlobals();
});

const toggles = () => [...page.root.querySelectorAll<HTMLButtonElement>("button[aria-expanded]")];
const logs = () => [...page.root.querySelectorAll('[role="log"]')].map((log) => log.textContent);

async function clickBoth(): Promise<void> {
  await vi.waitFor(() => expect(toggles()).toHaveLength(2));
  toggles()[0]?.click();
  toggles()[1]?.click();
  await vi.waitFor(() => expect(logs()).toEqual(["log of b"]));
}
const lateOne = () => vi.waitFor(() => expect(api.underWay).toBe(0));

test("the log that was opened last stays, though that of another comes later", async () => {
  await clickBoth();
  respondLate();
  await lateOne();
  await vi.waitFor(() => expect(logs()).toEqual(["log of b"]));
});

test("a log is closed by its button, also for one that comes later", async () => {
  await clickBoth();
  toggles()[1]?.click();
  await vi.waitFor(() => expect(logs()).toEqual([]));
  respondLate();
  await lateOne();
  expect(logs()).toEqual([]);
});
