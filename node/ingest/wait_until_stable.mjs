/** Waits until a page is complete: its text stops changing and no request is pending. */
import { setTimeout as sleep } from "node:timers/promises";
import { timedOut, within } from "./failures.mjs";

const MAX_MS = 8_000;
const POLL_MS = 100;
const INSPECT_MS = 2_000;

// A long text that does not change is the article; after a menu or "Loading…" more may follow.
const ARTICLE_CHARS = 1_000;
const ARTICLE_STABLE_MS = 300;
const SHORT_TEXT_STABLE_MS = 1_500;
// Analytics and long polls never end; text that did not change for this long is not waiting for them.
const BUSY_STABLE_MS = 2_500;

/** Until the document is parsed, scripts at its end included. */
export async function waitUntilParsed(world, deadline) {
  while (Date.now() < deadline) {
    if ((await inspect(world, deadline))?.parsed) return;
    await sleep(POLL_MS);
  }
  throw timedOut("The page did not load in time.");
}

export async function waitUntilStable(page, world, traffic, deadline) {
  const bound = Math.min(Date.now() + MAX_MS, deadline);
  let before = null;
  let since = Date.now();
  while (Date.now() < bound) {
    const state = await inspect(world, bound);
    if (state?.still && traffic.pending === 0) return;
    const now = `${page.url()} ${state?.url} ${state?.length} ${traffic.started}`;
    if (now !== before) since = Date.now();
    before = now;
    if (Date.now() - since >= stableMsNeeded(state, traffic)) return;
    await sleep(POLL_MS);
  }
}

function stableMsNeeded(state, traffic) {
  if (!state) return Infinity;
  const stable = state.length >= ARTICLE_CHARS ? ARTICLE_STABLE_MS : SHORT_TEXT_STABLE_MS;
  return traffic.pending > 0 ? Math.max(stable, BUSY_STABLE_MS) : stable;
}

async function inspect(world, bound) {
  try {
    return await within(Math.min(INSPECT_MS, bound - Date.now()), world.inspect(), () => timedOut("The page is busy."));
  } catch {
    return null; // busy, or navigating to another document: try again
  }
}
