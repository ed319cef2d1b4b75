import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_FILTERS } from "../../src/api/filters";
import type { Entry } from "../../src/api/types";
import { mount } from "../composables/mount";
import { ADA, respond, type Server, server } from "../composables/server";

let api: Server;
let close = () => {};
const entry = (media_id: string) =>
  ({ media_id, item_id: null, title: `Title of ${media_id}`, archived_at: null, tags: [] }) as unknown as Entry;

/** A list with more than is loaded, all of it selected. */
async function selectAll(loadAll = async () => [entry("m1"), entry("m2")]) {
  vi.resetModules();
  const [{ useBulk }, { useSelection }, { actionQueue }, { useToasts }] = await Promise.all([
    import("../../src/components/library/selection/useBulk"),
    import("../../src/composables/organise/useSelection"),
    import("../../src/device/action-queue"),
    import("../../src/composables/useToasts"),
  ]);
  actionQueue.setUser(ADA);
  const stop = actionQueue.start();
  const { result, unmount } = mount(() => useBulk(() => ({ ...NO_FILTERS, q: "" }), loadAll));
  const { toasts, dismissAll } = useToasts();
  close = () => {
    dismissAll();
    unmount();
    stop();
  };
  useSelection().selectAll([entry("m1")], true);
  return { bulk: result, actionQueue, toasts };
}

const paths = () => api.changes().map(({ method, path }) => `${method} ${path}`);

beforeEach(() => {
  localStorage.clear();
  api = server();
  api.post = () => respond(200, { changed: 1, undo: null });
});
afterEach(() => {
  close();
  vi.unstubAllGlobals();
});

test("what was decided before all results are changed is sent before", async () => {
  const { bulk, actionQueue } = await selectAll();
  for (const id of ["m7", "m8"]) actionQueue.add(entry(id), { field: "read", value: true });
  bulk.archive();
  await vi.waitFor(() => expect(paths()).toHaveLength(3));
  expect(paths()).toEqual(["PATCH /api/library/m7", "PATCH /api/library/m8", "POST /api/library/bulk"]);
});

test("of all results only the number is known, also when that is one", async () => {
  const { bulk, toasts } = await selectAll();
  bulk.archive();
  await vi.waitFor(() => expect(toasts.map(({ message }) => message)).toEqual(["1 item archived"]));
});

test("what is dragged where all results are selected is all of them", async () => {
  const { bulk } = await selectAll();
  bulk.set("starred", true);
  await vi.waitFor(() => expect(paths()).toEqual(["POST /api/library/bulk"]));
  expect(api.changes()[0]?.body).toMatchObject({ filter: { archived: "false" }, set: { starred: true } });
});

test("all results can be tagged", async () => {
  const { bulk } = await selectAll();
  bulk.tagWith("later");
  await vi.waitFor(() => expect(paths()).toEqual(["POST /api/library/bulk"]));
  expect(api.changes()[0]?.body).toMatchObject({ filter: { archived: "false" }, add_tags: ["later"] });
});

test("all results that are deleted twice while they are being loaded are deleted once", async () => {
  let loaded = (_entries: Entry[]) => {};
  const loading = new Promise<Entry[]>((resolve) => {
    loaded = resolve;
  });
  const { bulk, toasts } = await selectAll(() => loading);
  bulk.remove();
  bulk.remove();
  loaded([entry("m1"), entry("m2")]);
  await vi.waitFor(() => expect(toasts.map(({ message }) => message)).toEqual(["2 items deleted"]));
});
