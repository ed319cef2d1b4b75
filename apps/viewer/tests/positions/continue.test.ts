import { useQueryClient } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import { mount } from "../composables/mount";
import { ADA, type Server, server } from "../composables/server";

let api: Server;
let unmount = () => {};
const held = (fraction: number, at: string) => ({
  media_id: "m1",
  version: 1,
  fragment_idx: 0,
  offset: 10,
  fraction,
  client_time: at,
  device: "Android",
  audio_ms: null,
  audio_time: null,
});

beforeEach(() => {
  localStorage.clear();
  api = server();
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

test("a text that was open before is opened where another device was since", async () => {
  vi.resetModules();
  const { useContinue } = await import("../../src/positions/useContinue");
  const { fetchMe } = await import("../../src/api/client");
  await fetchMe();
  api.get = () => held(0.6, "2026-01-02T00:00:00Z");
  const goTo = vi.fn();
  const page = { isReady: ref(true), mayMove: () => true, hasMoved: () => false, goTo, markHere: () => {} };
  const { result, unmount: close } = mount(() => {
    const client = useQueryClient();
    client.setQueryData(["me"], { user_id: ADA });
    client.setQueryData(["position", "m1"], held(0.2, "2026-01-01T00:00:00Z")); // of the earlier visit
    return useContinue(ref("m1"), page);
  });
  unmount = close;
  await vi.waitFor(() => expect(goTo.mock.calls.map(([{ share }]) => share)).toEqual([0.6]));
  expect(result.offer.value).toBeNull();
});
