import { useQueryClient } from "@tanstack/vue-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import { mount } from "./mount";
import { respond, type Server, server } from "./server";

let api: Server;
let media: Record<string, unknown>;
let detail: string | null;
let unmount = () => {};

function get(path: string, query: URLSearchParams): unknown {
  if (path.endsWith("/fragments"))
    return { data: [{ id: "f", canonical_text: `text ${query.get("version") ?? "now"}` }] };
  if (path.endsWith("/receipt")) return { status_detail: detail };
  return { data: media };
}

/** The reader, without its page. */
async function openReader(version: number | null = null) {
  vi.resetModules();
  const { useTextVersion } = await import("../../src/composables/useTextVersion");
  const { useFetchAgain } = await import("../../src/composables/useFetchAgain");
  const { useToasts } = await import("../../src/composables/useToasts");
  const requested = ref(version);
  const mounted = mount(() => {
    const text = useTextVersion("m1", requested);
    return { ...text, fetching: useFetchAgain(text.media, ref("i1"), text.isOutdated), client: useQueryClient() };
  });
  unmount = mounted.unmount;
  const { result } = mounted;
  const shownText = () => result.fragments.data.value?.[0]?.canonical_text;
  await vi.waitFor(() => expect(shownText()).toBeDefined());
  const hear = () => result.client.invalidateQueries({ queryKey: ["media", "m1"] });
  return { ...result, requested, shownText, hear, said: () => useToasts().toasts.map(({ message }) => message) };
}

const paths = () => api.requests.map(({ path }) => path);

beforeEach(() => {
  api = server();
  api.get = get;
  detail = null;
  const facts = { kind: "web_article", version: 2, versions: 2, fetching_again: false };
  media = { id: "m1", capabilities: { can_read: true }, ...facts };
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

test("a new text does not take the place of the one that is shown, but is there when asked for", async () => {
  const reader = await openReader();
  expect([reader.shownText(), reader.isOutdated.value]).toEqual(["text now", false]);
  media = { ...media, version: 3 };
  api.get = (path, query) => (path.endsWith("/fragments") ? { data: [{ canonical_text: "newer" }] } : get(path, query));
  await reader.hear();
  await vi.waitFor(() => expect(reader.isOutdated.value).toBe(true));
  expect(reader.shownText()).toBe("text now");
  await vi.waitFor(() => expect(paths().filter((path) => path.endsWith("/fragments"))).toHaveLength(2));
  api.isDown = true;
  reader.showNew();
  await vi.waitFor(() => expect(reader.shownText()).toBe("newer"));
  expect(reader.isOutdated.value).toBe(false);
});

test("an earlier version is asked for by its number, the current one is not", async () => {
  const reader = await openReader(1);
  expect([reader.shownText(), reader.isEarlier.value]).toEqual(["text 1", true]);
  reader.requested.value = 2;
  await vi.waitFor(() => expect(reader.shownText()).toBe("text now"));
  expect(reader.isEarlier.value).toBe(false);
});

test("while an earlier version is shown, a new one is not offered in its place", async () => {
  const reader = await openReader(1);
  media = { ...media, version: 3 };
  await reader.hear();
  await vi.waitFor(() => expect(reader.current.value?.version).toBe(3));
  expect([reader.shownText(), reader.isOutdated.value]).toEqual(["text 1", false]);
  reader.requested.value = null;
  await vi.waitFor(() => expect(reader.shown.value?.version).toBe(3));
});

test("a merged media is another text, whatever its number", async () => {
  const reader = await openReader();
  media = { ...media, id: "m2" };
  await reader.hear();
  await vi.waitFor(() => expect(reader.isOutdated.value).toBe(true));
});

test("fetching again says that it is under way, and how it ended", async () => {
  const reader = await openReader();
  expect(reader.fetching.canFetch.value).toBe(true);
  api.post = () => {
    media = { ...media, fetching_again: true };
    return respond(202, { data: { processing_status: "ready_for_reading", fetch_enqueued: true } });
  };
  reader.fetching.start();
  await vi.waitFor(() => expect(reader.media.data.value?.fetching_again).toBe(true));
  expect(reader.fetching.isUnderWay.value).toBe(true);
  [media, detail] = [{ ...media, fetching_again: false }, "Its text is the same."];
  await reader.hear();
  await vi.waitFor(() => expect(reader.said()).toContain("Its text is the same."));
  expect(reader.fetching.isUnderWay.value).toBe(false);
});

test("a fetch that is over at once says how it ended, too", async () => {
  const reader = await openReader();
  [api.post, detail] = [() => respond(202, { data: { processing_status: "ready_for_reading" } }), "It was worse."];
  reader.fetching.start();
  await vi.waitFor(() => expect(reader.said()).toContain("It was worse."));
});

test("an event while the media is being loaded does not end the wait too early", async () => {
  const reader = await openReader();
  api.post = () => {
    [media, detail] = [{ ...media, fetching_again: true }, "Queued."];
    api.get = (path, query) => {
      api.get = get;
      void reader.hear(); // its request takes the place of this one
      return get(path, query);
    };
    return respond(202, { data: { processing_status: "ready_for_reading" } });
  };
  reader.fetching.start();
  await vi.waitFor(() => expect(reader.media.data.value?.fetching_again).toBe(true));
  [media, detail] = [{ ...media, fetching_again: false }, "Its text is the same."];
  await reader.hear();
  await vi.waitFor(() => expect(reader.said()).toContain("Its text is the same."));
  expect(reader.said()).not.toContain("Queued.");
});

test("with a new text only that is said", async () => {
  const reader = await openReader();
  api.post = () => {
    media = { ...media, version: 3 };
    return respond(202, { data: { processing_status: "ready_for_reading" } });
  };
  reader.fetching.start();
  await vi.waitFor(() => expect(reader.isOutdated.value).toBe(true));
  await vi.waitFor(() => expect(reader.fetching.isUnderWay.value).toBe(false));
  expect(paths().some((path) => path.endsWith("/receipt"))).toBe(false);
});

test("too soon: it says when it can be fetched again", async () => {
  const reader = await openReader();
  const said = { error: "fetched_moments_ago", message: "Not yet.", retry_after: 42 };
  api.post = () => respond(429, { detail: said });
  reader.fetching.start();
  await vi.waitFor(() =>
    expect(reader.said()).toContain("This was fetched a moment ago. You can fetch it again in 42 seconds."),
  );
  api.post = () => respond(409, { detail: { error: "conflict", message: "It is no web page." } });
  reader.fetching.start();
  await vi.waitFor(() => expect(reader.said()).toContain("Couldn't fetch it again. It is no web page."));
});

test("what did not come from a web page cannot be fetched again", async () => {
  media = { ...media, kind: "pasted_text" };
  const reader = await openReader();
  expect(reader.fetching.canFetch.value).toBe(false);
});
