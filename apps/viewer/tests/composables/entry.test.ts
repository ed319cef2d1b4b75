import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import { ownTitle, title, track } from "../../src/player/state";
import type { AudioTrack } from "../../src/player/track";
import { mount } from "./mount";
import { ADA, server } from "./server";

let unmount = () => {};

async function open(mediaId: string | null) {
  vi.resetModules();
  const { useEntry } = await import("../../src/composables/useEntry");
  const { useLibraryUpdates } = await import("../../src/composables/useLibrary");
  const { setDeviceUser } = await import("../../src/device/user");
  setDeviceUser(ADA);
  const mounted = mount(() => ({ entry: useEntry(() => mediaId), ...useLibraryUpdates() }));
  unmount = mounted.unmount;
  return mounted.result;
}

beforeEach(() => {
  localStorage.clear();
  server().get = () => ({ media_id: "m1", title: "Mine", own_title: "Mine", note: "For Ben", tags: [] });
});
afterEach(() => {
  unmount();
  [track.value, ownTitle.value] = [null, null];
  vi.unstubAllGlobals();
});

test("the entry of a text is fetched, and follows what is edited here or elsewhere", async () => {
  const { entry, applyEntries } = await open("m1");
  await vi.waitFor(() => expect(entry.value).toMatchObject({ own_title: "Mine", note: "For Ben" }));
  if (entry.value) applyEntries([{ ...entry.value, own_title: null, note: "For Ada" }]);
  await nextTick();
  expect(entry.value).toMatchObject({ own_title: null, note: "For Ada" });
});

test("without a media nothing is fetched", async () => {
  const backend = server();
  const { entry } = await open(null);
  const { fetchReadAt } = await import("../../src/api/library");
  await fetchReadAt("m2"); // what was requested before it has been recorded
  expect(entry.value).toBeNull();
  expect(backend.requests.map(({ path }) => path)).toEqual(["/api/me", "/api/library/m2/read"]);
});

test("the player shows the user's own title, else that of the episode", () => {
  expect(title.value).toBe("");
  track.value = { mediaId: "m1", title: "Theirs" } as AudioTrack;
  expect(title.value).toBe("Theirs");
  ownTitle.value = "Mine";
  expect(title.value).toBe("Mine");
});
