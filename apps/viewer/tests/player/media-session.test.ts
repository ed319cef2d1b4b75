import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick } from "vue";
import { useMediaSession } from "../../src/player/media-session";
import { at, length, track } from "../../src/player/state";
import type { Track } from "../../src/player/track";
import { mount } from "../composables/mount";
import { server } from "../composables/server";

const EPISODE = { kind: "audio", mediaId: "m1", title: "An episode", from: null } as unknown as Track;
const TEXT = { kind: "speech", mediaId: "m2", title: "A text", from: null } as unknown as Track;
const handlers = new Map<string, (details: { seekTime?: number }) => void>();
const setPositionState = vi.fn();
const seek = vi.fn();
let unmount = () => {};

beforeEach(() => {
  server();
  vi.stubGlobal("MediaMetadata", class {});
  const mediaSession = { setPositionState, setActionHandler: handlers.set.bind(handlers), metadata: null };
  Object.defineProperty(navigator, "mediaSession", { value: mediaSession, configurable: true });
  const none = () => {};
  const controls = { play: none, pause: none, close: none, skip: none, jump: none, seek };
  unmount = mount(() => useMediaSession(controls)).unmount;
});
afterEach(() => {
  unmount();
  Reflect.deleteProperty(navigator, "mediaSession");
  [track.value, at.value, length.value] = [null, 0, 0];
  vi.unstubAllGlobals();
});

test("the lock screen has the seconds of an episode, and none of a text that is read aloud", async () => {
  [track.value, at.value, length.value] = [EPISODE, 60, 1000];
  await nextTick();
  expect(setPositionState).toHaveBeenLastCalledWith({ duration: 1000, position: 60, playbackRate: 1 });
  handlers.get("seekto")?.({ seekTime: 90 });
  expect(seek).toHaveBeenCalledWith(90);
  [track.value, at.value, length.value] = [TEXT, 3, 20];
  await nextTick();
  expect(setPositionState).toHaveBeenLastCalledWith();
  seek.mockClear();
  handlers.get("seekto")?.({ seekTime: 90 });
  expect(seek).not.toHaveBeenCalled();
});
