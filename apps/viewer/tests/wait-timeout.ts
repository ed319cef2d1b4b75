import { vi } from "vitest";

// On a machine that does much else a second may be over before anything has happened. Only failures take this long.
const WAIT_TIMEOUT = { timeout: 60_000 };
const { waitFor } = vi;

vi.waitFor = (check, options) =>
  waitFor(check, typeof options === "number" ? options : { ...WAIT_TIMEOUT, ...options });
