/** One page in a context of its own: opened, waited for, copied, forgotten. */
import { setTimeout as sleep } from "node:timers/promises";
import { announceRequests } from "./announce.mjs";
import { Documents } from "./documents.mjs";
import { asFailure, crashed, Failure, refusedByDoor, refusedStatus, timedOut, within } from "./failures.mjs";
import { IsolatedWorld } from "./isolated_world.mjs";
import { loaded, settle } from "./settle.mjs";
import { Traffic } from "./traffic.mjs";

const CLOSE_MS = 10_000;
const CRASH_NEWS_MS = 500;
const CAPTURE_MS = 10_000;
const FIRST_ERROR_STATUS = 400;
const HTML = /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i;

const CONTEXT = {
  serviceWorkers: "block",
  acceptDownloads: false,
  permissions: [], // all refused, and at once: Chromium alone lets a page wait up to two seconds for its "no"
  locale: "en-US",
  timezoneId: "UTC",
  viewport: { width: 1280, height: 1600 },
  reducedMotion: "reduce",
};

/** What the page came to: {url, base, title, html, status}. */
export async function openPage(browser, { url, timeoutMs, userAgent, maxHtmlChars, charset, signal, announce }) {
  const { protocol } = parse(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Failure("bad_request", `Only http and https addresses can be opened, not ${protocol}`);
  }
  const deadline = Date.now() + timeoutMs;
  let context;
  try {
    context = await within(timeoutMs, browser.newContext({ ...CONTEXT, userAgent }), () =>
      crashed("Chromium does not answer."),
    );
    if (announce) announceRequests(context, announce);
    const abandoned = new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Failure("cancelled", "Nobody waits for this page any more.")));
    });
    abandoned.catch(() => {});
    return await Promise.race([visit(context, url, deadline, { maxHtmlChars, charset }), abandoned]);
  } catch (error) {
    // Killed in the middle: the page is not to blame, and whoever asked may ask again.
    if (!browser.isConnected()) throw crashed("Chromium ended while it had this page open.");
    throw asFailure(error);
  } finally {
    if (context) await close(context, browser);
  }
}

async function visit(context, url, deadline, limits) {
  const page = await context.newPage();
  const broken = new Promise((_, reject) => page.on("crash", () => reject(crashed("The page's own process ended."))));
  broken.catch(() => {});
  page.on("dialog", (dialog) => dialog.dismiss().catch(() => {}));
  context.on("page", (popup) => popup.close().catch(() => {}));
  const traffic = new Traffic(page);
  await traffic.blockHeavyTypes(context);
  const documents = await Documents.watch(page, limits);
  const reading = read(page, traffic, documents, url, deadline, limits).catch(async (error) => {
    // A page whose process ends while it loads is first called aborted and only then crashed.
    if (/ERR_ABORTED/.test(error.message)) await sleep(CRASH_NEWS_MS);
    throw error;
  });
  return await Promise.race([reading, broken]);
}

async function read(page, traffic, documents, url, deadline, { maxHtmlChars }) {
  // Not its "domcontentloaded": a page that begins a download while it loads never reaches that for Playwright.
  await page.goto(url, { waitUntil: "commit", timeout: Math.max(1, deadline - Date.now()) }).catch((error) => {
    throw documents.failure ?? error;
  });
  if (documents.latest) refuseUnreadable(documents.latest);
  const world = new IsolatedWorld(page, documents);
  await loaded(world, deadline);
  await settle(page, world, traffic, deadline);
  const copying = world.copy(maxHtmlChars);
  const { loader, ...copy } = await within(Math.min(CAPTURE_MS, deadline - Date.now() + CLOSE_MS), copying, () =>
    timedOut("The page did not stop working, so it could not be read."),
  );
  const document = documents.delivered(loader);
  refuseUnreadable(document);
  if (copy.html === null) {
    throw new Failure("too_large", `The page grew to ${copy.length} characters; ${maxHtmlChars} are read at most.`);
  }
  const base = /^https?:/.test(copy.base) ? copy.base : document.url;
  return { ...copy, base, url: document.url, status: document.status };
}

function refuseUnreadable(document) {
  if (!document) throw new Failure("fetch_failed", "The page replaced itself with one that no site has sent.");
  if (document.refusal) throw refusedByDoor(document.refusal, document.url);
  // What a form was answered with is not what its address shows to others, and the sender may have written it.
  if (document.method !== "GET") {
    throw new Failure("fetch_failed", "The page sent a form, and the answer to a form has no address of its own.");
  }
  if (document.status >= FIRST_ERROR_STATUS) throw refusedStatus(document.status, document.url);
  if (document.type && !HTML.test(document.type)) {
    throw new Failure("non_html", `The address holds ${document.type.split(";")[0]}, not a page.`, {
      status: document.status,
      finalUrl: document.url,
    });
  }
}

async function close(context, browser) {
  try {
    await within(CLOSE_MS, context.close(), () => crashed("Chromium does not let go of a page."));
  } catch {
    // A page that cannot be closed would hold its memory for ever; the browser goes, the next page gets another.
    if (browser.isConnected()) process.exit(1);
  }
}

function parse(url) {
  try {
    return new URL(url);
  } catch {
    throw new Failure("bad_request", "This is not an address.");
  }
}
