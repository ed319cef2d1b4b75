import { vi } from "vitest";

// On a machine that does much else a second may be over before anything has happened. Only failures take this long.
// Most of what is waited for is there at once: looking every 50 ms, as Vitest does, was a third of the tests' time.
const WAIT = { timeout: 60_000, interval: 5 };
const { waitFor } = vi;

vi.waitFor = (check, options) => waitFor(check, typeof options === "number" ? options : { ...WAIT, ...options });
