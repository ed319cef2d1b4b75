/** One page in a browser context of its own: opened, waited for, copied, closed. */
import { setTimeout as sleep } from "node:timers/promises";
import { reportRequests } from "./report_requests.mjs";
import { Documents } from "./documents.mjs";
import { asFailure, crashed, Failure, refusedByProxy, refusedStatus, timedOut, within } from "./failures.mjs";
import { IsolatedWorld } from "./isolated_world.mjs";
import { waitUntilParsed, waitUntilStable } from "./wait_until_stable.mjs";
import { Traffic } from "./traffic.mjs";

const CLOSE_MS = 10_000;
const CRASH_EVENT_MS = 500;
const CAPTURE_MS = 10_000;
const FIRST_ERROR_STATUS = 400;
const HTML = /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i;

const CONTEXT = {
  serviceWorkers: "block",
  acceptDownloads: false,
  permissions: [], // all denied at once: by default Chromium lets a page wait up to two seconds for the refusal
  locale: "en-US",
  timezoneId: "UTC",
  viewport: { width: 1280, height: 1600 },
  reducedMotion: "reduce",
};

/** Returns {url, base, title, html, status}. */
export async function openPage(browser, { url, timeoutMs, userAgent, maxHtmlChars, charset, signal, onRequest }) {
  const { protocol } = parse(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Failure("bad_request", `Only http and https addresses can be opened, not ${protocol}`);
  }
  const deadline = Date.now() + timeoutMs;
  let context;
  try {
    context = await within(timeoutMs, browser.newContext({ ...CONTEXT, userAgent }), () =>
      crashed("Chromium does not respond."),
    );
    if (onRequest) reportRequests(context, onRequest);
    const abandoned = new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Failure("cancelled", "The request for this page was cancelled.")));
    });
    abandoned.catch(() => {});
    return await Promise.race([visit(context, url, deadline, { maxHtmlChars, charset }), abandoned]);
  } catch (error) {
    // The browser was killed: not the page's fault, so a retry is worthwhile.
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
    // A page whose process ends while it loads is first reported as aborted and then as crashed.
    if (/ERR_ABORTED/.test(error.message)) await sleep(CRASH_EVENT_MS);
    throw error;
  });
  return await Promise.race([reading, broken]);
}

async function read(page, traffic, documents, url, deadline, { maxHtmlChars }) {
  // Not "domcontentloaded": Playwright never reports that for a page that starts a download while it loads.
  await page.goto(url, { waitUntil: "commit", timeout: Math.max(1, deadline - Date.now()) }).catch((error) => {
    throw documents.failure ?? error;
  });
  if (documents.latest) refuseUnreadable(documents.latest);
  const world = new IsolatedWorld(page, documents);
  await waitUntilParsed(world, deadline);
  await waitUntilStable(page, world, traffic, deadline);
  const copying = world.copy(maxHtmlChars);
  const { loader, ...copy } = await within(Math.min(CAPTURE_MS, deadline - Date.now() + CLOSE_MS), copying, () =>
    timedOut("The page was busy without end, so it could not be read."),
  );
  const document = documents.delivered(loader);
  refuseUnreadable(document);
  if (copy.html === null) {
    throw new Failure("too_large", `The page has ${copy.length} characters; at most ${maxHtmlChars} are read.`);
  }
  const base = /^https?:/.test(copy.base) ? copy.base : document.url;
  return { ...copy, base, url: document.url, status: document.status };
}

function refuseUnreadable(document) {
  if (!document) throw new Failure("fetch_failed", "The page replaced itself with a document that no site sent.");
  if (document.refusal) throw refusedByProxy(document.refusal, document.url);
  // The response to a form is not what its URL shows to others, and its text may come from the sender.
  if (document.method !== "GET") {
    throw new Failure("fetch_failed", "The page sent a form, and the response to a form has no address of its own.");
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
    await within(CLOSE_MS, context.close(), () => crashed("Chromium does not close a page."));
  } catch {
    // A page that cannot be closed would keep its memory for ever, so the browser is replaced.
    if (browser.isConnected()) process.exit(1);
  }
}

function parse(url) {
  try {
    return new URL(url);
  } catch {
    throw new Failure("bad_request", "This is not a URL.");
  }
}
