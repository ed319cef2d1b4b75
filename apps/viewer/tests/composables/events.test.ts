import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Handlers } from "../../src/composables/useEvents";

class Source extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Source[] = [];
  readyState = 0;
  onopen = () => {};
  onerror = () => {};
  constructor(readonly url: string) {
    super();
    Source.opened.push(this);
  }
  say(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
  close(): void {
    this.readyState = Source.CLOSED;
  }
}

async function listen() {
  vi.resetModules();
  const { useEvents } = await import("../../src/composables/useEvents");
  const names = [
    "item",
    "removed",
    "read",
    "position",
    "entry",
    "highlights",
    "tags",
    "textChanged",
    "libraryChanged",
    "connected",
    "reconnected",
    "refused",
  ] as const;
  const heard = Object.fromEntries(names.map((name) => [name, vi.fn()])) as Record<
    (typeof names)[number],
    ReturnType<typeof vi.fn>
  >;
  const events = useEvents();
  events.open(heard as unknown as Handlers);
  return { events, heard, latest: () => Source.opened.at(-1) as Source };
}

beforeEach(() => {
  Source.opened = [];
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("importing it opens nothing", async () => {
  vi.resetModules();
  await import("../../src/composables/useEvents");
  expect(Source.opened).toEqual([]);
});

test("each event goes to its handler", async () => {
  const { heard, latest } = await listen();
  latest().say("item", { item_id: "i" });
  latest().say("removed", { item_id: "r" });
  latest().say("read", { media_id: "m", read_at: null });
  latest().say("position", { media_id: "p", version: 1 });
  latest().say("entry", { media_id: "e" });
  latest().say("highlights", { media_id: "h" });
  latest().say("tags", {});
  latest().say("text", { media_id: "m", version: 2 });
  latest().say("shelf", {});
  expect(heard.textChanged).toHaveBeenCalledWith("m");
  expect(heard.item).toHaveBeenCalledWith({ item_id: "i" });
  expect(heard.removed).toHaveBeenCalledWith("r");
  expect(heard.read).toHaveBeenCalledWith({ media_id: "m", read_at: null });
  expect(heard.position).toHaveBeenCalledWith({ media_id: "p", version: 1 });
  expect(heard.entry).toHaveBeenCalledWith("e");
  expect(heard.highlights).toHaveBeenCalledWith("h");
  expect(heard.tags).toHaveBeenCalledOnce();
  expect(heard.libraryChanged).toHaveBeenCalledOnce();
});

test("what was missed is told: little before the first connection, more after a gap", async () => {
  const { events, heard, latest } = await listen();
  const told = () => [heard.connected.mock.calls.length, heard.reconnected.mock.calls.length];
  expect(told()).toEqual([0, 0]);
  latest().onopen();
  expect([events.connection.value, ...told()]).toEqual(["live", 1, 0]);
  latest().onerror(); // the browser tries again by itself
  expect(events.connection.value).toBe("lost");
  expect(Source.opened.length).toBe(1);
  latest().onopen();
  expect([events.connection.value, ...told()]).toEqual(["live", 1, 1]);
});

test("after a response that is no stream the connection is retried and the user checked", async () => {
  const { heard, latest } = await listen();
  latest().readyState = Source.CLOSED;
  latest().onerror();
  expect(heard.refused).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(3000);
  expect(Source.opened.length).toBe(2);
  latest().onopen();
  expect(heard.reconnected).toHaveBeenCalledOnce();
});

test("a closed connection is not retried", async () => {
  const { events, latest } = await listen();
  latest().readyState = Source.CLOSED;
  latest().onerror();
  events.close();
  vi.advanceTimersByTime(60_000);
  expect(Source.opened.length).toBe(1);
});

test("without a user the connection counts as lost", async () => {
  vi.resetModules();
  const { useEvents } = await import("../../src/composables/useEvents");
  const { connection, markLost } = useEvents();
  expect(connection.value).toBe("connecting");
  markLost();
  expect(connection.value).toBe("lost");
});
