/** Opens one requested page; used by the single-page mode and by --serve. */
import { Failure } from "./failures.mjs";
import { openPage } from "./page.mjs";

const DEFAULTS = {
  timeoutMs: 30_000,
  userAgent: "NexusBot/1.0",
  maxHtmlChars: 4_000_000,
  pagesPerBrowser: 100,
  maxBrowserBytes: 1_500_000_000,
  maxIdleBytes: 750_000_000,
  pagesAtOnce: 3,
  idleMs: 120_000,
};

/** Options arrive in snake_case; missing ones get their default. */
export function optionsFrom(given) {
  const options = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value !== null) options[name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())] = value;
  }
  return options;
}

export function checkRequest(request) {
  if (request === null || typeof request !== "object" || typeof request.url !== "string" || request.url === "") {
    throw new Failure("bad_request", "The request must be a JSON object with a url.");
  }
  const { timeout_ms: timeoutMs, charset = null } = request;
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new Failure("bad_request", "timeout_ms must be a number above 0.");
  }
  if (charset !== null && !/^[\w-]{1,40}$/.test(charset)) throw new Failure("bad_request", "charset must be a name.");
  return { url: request.url, timeoutMs, charset };
}

export async function render({ browsers, options }, { url, timeoutMs, charset }, signal) {
  const running = await browsers.acquire();
  const given = { ...options, url, charset, timeoutMs: timeoutMs ?? options.timeoutMs };
  // When the browser ends, its pages fail at once, whatever they are waiting for.
  given.signal = AbortSignal.any([running.gone, ...(signal ? [signal] : [])]);
  try {
    const page = await openPage(running.browser, given);
    return {
      final_url: page.url,
      base_url: page.base,
      title: page.title || null,
      html: page.html,
      status: page.status,
    };
  } catch (error) {
    throw await browsers.explain(running, error);
  } finally {
    browsers.release(running);
  }
}
