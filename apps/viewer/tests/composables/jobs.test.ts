import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import type { JobStatus } from "../../src/api/types";
import { mount } from "./mount";
import { type Server, server } from "./server";

const EMPTY = { succeeded: 0, failed: 0, cancelled: 0, stale: 0, queued: 0, running: 0 };
let api: Server;
/** What the server has: job ids by their status. */
let jobs: Record<string, JobStatus>;
let unmount = () => {};

function list(statuses: string[]) {
  const counts: Record<string, number> = { ...EMPTY };
  for (const status of Object.values(jobs)) counts[status] = (counts[status] ?? 0) + 1;
  const found = Object.entries(jobs).filter(([, status]) => statuses.includes(status));
  return { jobs: found.map(([job_id, status]) => ({ job_id, status })), next_cursor: null, counts, paused: false };
}

async function openHistory() {
  vi.resetModules(); // after the server stands in for `fetch`
  const { useJobHistory } = await import("../../src/composables/useJobs");
  const { result: query, unmount: end } = mount(() => useJobHistory(ref("")));
  unmount = end;
  return { query, ids: () => query.data.value?.pages.flatMap((page) => page.jobs.map((job) => job.job_id)) };
}

beforeEach(() => {
  vi.useFakeTimers();
  jobs = {};
  api = server();
  api.get = (_path, query) => list(query.getAll("status"));
});
afterEach(() => {
  unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a job that began and ended between two polls is in the history", async () => {
  const { ids } = await openHistory();
  await vi.waitFor(() => expect(ids()).toEqual([]));
  jobs = { short: "succeeded" };
  await vi.advanceTimersByTimeAsync(4000);
  expect(ids()).toEqual(["short"]);
});

test("a history that was read before a job ended, and arrives after, is requested again", async () => {
  let respond = () => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const { ids, query } = await openHistory();
  await vi.waitFor(() => expect(ids()).toEqual([]));
  api.holdReads = held;
  void query.refetch();
  await vi.waitFor(() => expect(api.underWay).toBeGreaterThan(0));
  api.holdReads = Promise.resolve();
  jobs = { late: "failed" };
  await vi.advanceTimersByTimeAsync(4000);
  respond();
  await vi.advanceTimersByTimeAsync(4000);
  expect(ids()).toEqual(["late"]);
});

test("a history that is up to date is not requested again", async () => {
  jobs = { one: "succeeded" };
  const { ids } = await openHistory();
  await vi.waitFor(() => expect(ids()).toEqual(["one"]));
  const asked = () => api.requests.filter(({ query }) => query.includes("stale")).length;
  const before = asked();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked()).toBe(before);
});

test("a history that is newer than the list of active jobs is not requested until that is, too", async () => {
  const { ids, query } = await openHistory();
  await vi.waitFor(() => expect(ids()).toEqual([]));
  await vi.advanceTimersByTimeAsync(1000);
  const asked = () => api.requests.filter(({ query }) => query.includes("stale")).length;
  const before = asked();
  jobs = { one: "succeeded" };
  api.get = (_path, query) => {
    if (asked() > before + 3) api.holdReads = new Promise(() => {}); // else requests without end would end no test
    return list(query.getAll("status"));
  };
  void query.refetch();
  await vi.advanceTimersByTimeAsync(500);
  expect([ids(), asked() - before]).toEqual([["one"], 1]);
});

test("a history that cannot be read is requested once for each list of active jobs", async () => {
  const { ids } = await openHistory();
  await vi.waitFor(() => expect(ids()).toEqual([]));
  jobs = { one: "succeeded" };
  let failed = 0;
  api.get = (_path, query) => {
    if (!query.getAll("status").includes("stale")) return list(query.getAll("status"));
    failed += 1;
    if (failed > 9) api.holdReads = new Promise(() => {}); // else requests without end would end no test
    if (failed < 10) throw new TypeError("Failed to fetch");
    return {};
  };
  await vi.advanceTimersByTimeAsync(7000);
  expect(failed).toBe(2);
  api.get = (_path, query) => list(query.getAll("status"));
  await vi.advanceTimersByTimeAsync(3000);
  expect(ids()).toEqual(["one"]);
});

test("active jobs are requested again and again while they are shown", async () => {
  vi.resetModules();
  const { useActiveJobs } = await import("../../src/composables/useJobs");
  const { result, unmount: end } = mount(useActiveJobs);
  unmount = end;
  const ids = () => result.data.value?.jobs.map(({ job_id }) => job_id);
  await vi.waitFor(() => expect(ids()).toEqual([]));
  jobs = { waits: "queued", runs: "running", over: "succeeded" };
  await vi.advanceTimersByTimeAsync(4000);
  expect(ids()).toEqual(["waits", "runs"]);
  end();
  const before = api.requests.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(api.requests.length).toBe(before);
});

test("after an action the lists of jobs are requested again, and one that fails is told", async () => {
  vi.resetModules();
  const [{ useActiveJobs, useJobAction }, { useToasts }] = await Promise.all([
    import("../../src/composables/useJobs"),
    import("../../src/composables/useToasts"),
  ]);
  const done = vi.fn();
  const act = vi.fn(async (job: string) => `${job} cancelled`);
  const { result, unmount: end } = mount(() => ({ active: useActiveJobs(), action: useJobAction(act, done) }));
  unmount = end;
  await vi.waitFor(() => expect(result.active.isSuccess.value).toBe(true));
  const asked = () => api.requests.length;
  let before = asked();
  await result.action.mutateAsync("one");
  expect(done).toHaveBeenCalledWith("one cancelled");
  expect(asked()).toBeGreaterThan(before);
  before = asked();
  act.mockRejectedValueOnce(new Error("It broke."));
  await expect(result.action.mutateAsync("two")).rejects.toThrow("It broke.");
  expect(done).toHaveBeenCalledOnce();
  expect(asked()).toBeGreaterThan(before);
  const { toasts, dismissAll } = useToasts();
  expect(toasts.map(({ tone }) => tone)).toEqual(["bad"]);
  dismissAll();
});
