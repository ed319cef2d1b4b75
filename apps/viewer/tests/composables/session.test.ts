import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mount } from "./mount";
import { ADA, BEN, type Server, server } from "./server";

let api: Server;
let unmount = () => {};
let dismissToasts = () => {};
const nextTurn = () => new Promise((resolve) => setTimeout(resolve));

async function openApp() {
  vi.resetModules();
  const [{ actionQueue }, { useRemoval }, { useSession }, { useToasts }] = await Promise.all([
    import("../../src/device/action-queue"),
    import("../../src/composables/useRemoval"),
    import("../../src/composables/useSession"),
    import("../../src/composables/useToasts"),
  ]);
  dismissToasts = useToasts().dismissAll;
  actionQueue.setUser(ADA);
  const mounted = mount(() => ({ remove: useRemoval(), session: useSession() }));
  unmount = mounted.unmount;
  return mounted.result;
}

const done = () => api.changes().map(({ method, path }) => `${method} ${path}`);

beforeEach(() => {
  localStorage.clear();
  api = server();
  vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom cannot go to another page, and says so
});
afterEach(() => {
  dismissToasts();
  unmount();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("what was deleted just before signing out is deleted", async () => {
  const { remove, session } = await openApp();
  remove({ itemId: "i1", mediaId: "m1" }, "Saved");
  remove({ itemId: null, mediaId: "m2" }, "Episode");
  await session.signOut(() => {});
  expect(done()).toEqual(["DELETE /items/i1", "DELETE /media/m2", "DELETE /api/session"]);
});

test("where one was just before signing out is told", async () => {
  const { session } = await openApp();
  const { positionQueue } = await import("../../src/positions/position-queue");
  positionQueue.setUser(ADA);
  positionQueue.add("m1", "audio", { audio_ms: 5000 }, Date.now());
  await session.signOut(() => {});
  expect(done()).toEqual(["PUT /api/library/m1/position", "DELETE /api/session"]);
});

test("a deletion that fails keeps the user signed in, once", async () => {
  const { remove, session } = await openApp();
  api.refuse = () => true;
  remove({ itemId: "i1", mediaId: "m1" }, "Saved");
  await expect(session.signOut(() => {})).rejects.toThrow("Not like this.");
  expect(api.requests.map(({ path }) => path)).not.toContain("/api/session");
  api.refuse = () => false;
  await session.signOut(() => {});
  expect(done()).toEqual(["DELETE /api/session"]);
});

test("a browser that cannot delete its offline texts signs out and in anyway", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("caches", { keys: () => Promise.reject(new DOMException("no", "SecurityError")) });
  const { session } = await openApp();
  const left = vi.fn();
  await session.signOut(left);
  await session.signIn("token", "/");
  expect(left).toHaveBeenCalledOnce();
  expect(done()).toEqual(["DELETE /api/session", "POST /api/session"]);
  expect(warned).toHaveBeenCalledTimes(2);
});

test("what was highlighted just before signing out is sent first", async () => {
  const { session } = await openApp();
  const { highlightQueue } = await import("../../src/highlights/highlight-queue");
  highlightQueue.setUser(ADA);
  highlightQueue.add("m1", "h1", { part: "color", color: "pink" });
  await session.signOut(() => {});
  expect(done()).toEqual(["PATCH /highlights/h1", "DELETE /api/session"]);
  expect(highlightQueue.count()).toBe(0);
});

async function refusedMeanwhile(userNow: string | null): Promise<string[]> {
  await openApp();
  const { fetchMe, onOtherUser, onSignedOut } = await import("../../src/api/client");
  const { fetchReadAt } = await import("../../src/api/library");
  await fetchMe();
  const told: string[] = [];
  onOtherUser(() => told.push("other user"));
  onSignedOut(() => told.push("signed out"));
  // The session of this request was ended when the server read it.
  [api.fails, api.fault] = [() => true, 401];
  api.user = userNow;
  await expect(fetchReadAt("m1")).rejects.toThrow();
  await vi.waitFor(() => expect(told.length).toBe(1));
  api.fails = () => false;
  await expect(fetchReadAt("m1")).rejects.toThrow("Somebody else"); // until it is left, the page acts as nobody else
  return told.slice(0, 1);
}

test("a request that was refused because another window has signed in tells of the other user", async () => {
  expect(await refusedMeanwhile(BEN)).toEqual(["other user"]);
});

test("a request that was refused because nobody is signed in tells so", async () => {
  expect(await refusedMeanwhile(null)).toEqual(["signed out"]);
});

test("an operator has the parts that this server offers, anybody else none", async () => {
  vi.resetModules();
  const { useOperator } = await import("../../src/composables/useOperator");
  api.get = () => ({ feeds_api: true, operator_config_api: true, jobs_api: false });
  const open = async () => {
    const mounted = mount(useOperator);
    unmount = mounted.unmount;
    await vi.waitFor(() => expect(api.requests.map(({ path }) => path).sort()).toEqual(["/api/health", "/api/me"]));
    await vi.waitFor(() => expect(api.underWay).toBe(0));
    await nextTurn();
    unmount();
    return Object.entries(mounted.result).flatMap(([name, has]) => (has.value ? [name] : []));
  };
  expect(await open()).toEqual([]);
  api.requests.length = 0;
  api.isOperator = true;
  expect(await open()).toEqual(["hasFeeds", "hasConfig"]);
});

/** The app while the server cannot be reached; `asked`: how often it asked who is signed in. */
async function openUnreached() {
  vi.resetModules();
  vi.useFakeTimers();
  const { useSession, useSessionRecovery } = await import("../../src/composables/useSession");
  const mounted = mount(() => {
    useSessionRecovery();
    return useSession();
  });
  unmount = mounted.unmount;
  const asked = () => api.requests.filter(({ path }) => path === "/api/me").length;
  await vi.waitFor(() => expect(mounted.result.error.value).not.toBeNull());
  return { me: mounted.result.me, asked };
}

test("who is signed in is asked again until the server responds, and then no more", async () => {
  api.isDown = true;
  const { me, asked } = await openUnreached();
  const before = asked();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(asked() - before).toBeGreaterThan(1);
  api.isDown = false;
  await vi.advanceTimersByTimeAsync(6000);
  expect(me.value?.user_id).toBe(ADA);
  const found = asked();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked()).toBe(found);
});

test("a browser that is online again asks at once", async () => {
  api.isDown = true;
  const { me } = await openUnreached();
  api.isDown = false;
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(100);
  expect(me.value?.user_id).toBe(ADA);
});

test("who is signed out is not asked for, nor anybody once the app is gone", async () => {
  api.user = null;
  const signedOut = await openUnreached();
  const before = signedOut.asked();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(signedOut.asked()).toBe(before);
  unmount();
  [api.user, api.isDown] = [ADA, true];
  const { asked } = await openUnreached();
  unmount();
  const atEnd = asked();
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked()).toBe(atEnd);
});
