import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import type { Import } from "../../src/api/imports";
import { mount } from "../composables/mount";
import { type Server, server } from "../composables/server";

const POLL_MS = 1000;
let api: Server;
let close = () => {};
/** As the server has it. */
let status: Import["status"] = "running";
let queued = 0;

const now = (id = "one") => ({ id, status, fetching: { queued, processing: 0 } }) as Import;

async function openImport() {
  vi.resetModules();
  const [{ useImport }, { useToasts }] = await Promise.all([
    import("../../src/imports/useImport"),
    import("../../src/composables/useToasts"),
  ]);
  const id = ref("one");
  const { result, unmount } = mount(() => useImport(id));
  const { toasts, dismissAll } = useToasts();
  close = () => {
    dismissAll();
    unmount();
  };
  await passed();
  return { ...result, id, unmount, toasts, shown: () => result.query.data.value?.status };
}

const passed = (ms = 10) => vi.advanceTimersByTimeAsync(ms);
const asked = () => api.requests.filter(({ path }) => path.startsWith("/api/imports/")).length;

function deferred<Value>() {
  let resolve = (_value: Value) => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

beforeEach(() => {
  vi.useFakeTimers();
  api = server();
  api.get = (path) => now(path.split("/").at(-1));
  [status, queued] = ["running", 0];
});
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("it is looked at again while it changes by itself, and no longer", async () => {
  const { shown } = await openImport();
  [status, queued] = ["finished", 3]; // pages of it are still to be fetched
  await passed(POLL_MS);
  expect([shown(), asked()]).toEqual(["finished", 2]);
  queued = 0;
  await passed(POLL_MS);
  await passed(10 * POLL_MS);
  expect(asked()).toBe(3);
});

test("nothing is asked for once it is no longer shown", async () => {
  const { unmount } = await openImport();
  unmount();
  await passed(5 * POLL_MS);
  expect(asked()).toBe(1);
});

test("what was read before a change, and arrives after it, does not take it back", async () => {
  status = "finished";
  queued = 1;
  const { change, shown } = await openImport();
  const late = deferred<void>();
  api.holdReads = late.promise;
  queued = 0;
  await passed(POLL_MS); // reads that nothing is left to do
  api.holdReads = Promise.resolve();
  status = "undoing";
  await change(async () => now());
  expect(shown()).toBe("undoing");
  late.resolve();
  await passed();
  expect(shown()).toBe("undoing");
  await passed(2 * POLL_MS);
  expect(asked()).toBeGreaterThan(2);
});

test("a change that fails is told, and what is shown is looked at again", async () => {
  const { change, isBusy, shown, toasts } = await openImport();
  status = "finished"; // meanwhile
  const doing = change(() => Promise.reject(new Error("It has ended.")));
  expect(isBusy.value).toBe(true);
  await passed();
  await doing;
  expect([isBusy.value, shown()]).toEqual([false, "finished"]);
  expect(toasts.map(({ tone, message }) => [tone, message.includes("It has ended.")])).toEqual([["bad", true]]);
});

test("two clicks do it once, and its answer is that of the import it was about", async () => {
  status = "paused";
  const { change, id, query, shown } = await openImport();
  const answer = deferred<Import>();
  const act = vi.fn(() => answer.promise);
  void change(act);
  void change(act);
  id.value = "two";
  await passed();
  status = "running";
  answer.resolve(now("one"));
  await passed();
  expect([act.mock.calls.length, query.data.value?.id, shown()]).toEqual([1, "two", "paused"]);
});
