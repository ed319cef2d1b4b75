/** Wait until a page has said what it has to say: its text stops growing and nothing it asked for is still to come. */
import { setTimeout as sleep } from "node:timers/promises";
import { timedOut, within } from "./failures.mjs";

const LONGEST_MS = 8_000;
const LOOK_EVERY_MS = 100;
const ONE_LOOK_MS = 2_000;

// An article is there and rests; a menu or "Loading…" may be followed by more after a timer.
const ARTICLE_CHARS = 1_000;
const ARTICLE_REST_MS = 300;
const LITTLE_REST_MS = 1_500;
// Analytics and long polls never come to an end; text that stood still this long is not waiting for them.
const BUSY_REST_MS = 2_500;

/** Until the document itself is complete, scripts at its end included. */
export async function loaded(world, deadline) {
  while (Date.now() < deadline) {
    if ((await look(world, deadline))?.parsed) return;
    await sleep(LOOK_EVERY_MS);
  }
  throw timedOut("The page did not load in time.");
}

export async function settle(page, world, traffic, deadline) {
  const bound = Math.min(Date.now() + LONGEST_MS, deadline);
  let before = null;
  let since = Date.now();
  while (Date.now() < bound) {
    const seen = await look(world, bound);
    if (seen?.still && traffic.pending === 0) return;
    const now = `${page.url()} ${seen?.url} ${seen?.length} ${traffic.started}`;
    if (now !== before) since = Date.now();
    before = now;
    if (Date.now() - since >= restNeeded(seen, traffic)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

function restNeeded(seen, traffic) {
  if (!seen) return Infinity;
  const rest = seen.length >= ARTICLE_CHARS ? ARTICLE_REST_MS : LITTLE_REST_MS;
  return traffic.pending > 0 ? Math.max(rest, BUSY_REST_MS) : rest;
}

async function look(world, bound) {
  try {
    return await within(Math.min(ONE_LOOK_MS, bound - Date.now()), world.seen(), () => timedOut("The page is busy."));
  } catch {
    return null; // busy, or on its way to another document: look again
  }
}
