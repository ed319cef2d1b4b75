/** Errors with a code for programs and an exit code for shells. */
const EXIT_CODES = { timeout: 10, unreadable: 12 };
const FETCH_FAILED = 11;

const RETRYABLE_STATUSES = new Set([408, 429]);
const FIRST_SERVER_ERROR = 500;

export class Failure extends Error {
  constructor(code, message, { retryable = false, status = null, finalUrl = null, refusal = null } = {}) {
    super(message);
    Object.assign(this, { code, retryable, status, finalUrl, refusal });
  }

  get exitCode() {
    return EXIT_CODES[this.code] ?? FETCH_FAILED;
  }

  toJSON() {
    const { code, message, retryable, status, finalUrl, refusal, exitCode } = this;
    return { error: message, code, exit_code: exitCode, retryable, http_status: status, final_url: finalUrl, refusal };
  }
}

export const timedOut = (message) => new Failure("timeout", message, { retryable: true });
export const tooMuchMemory = (maxBytes) =>
  new Failure("memory", `The page used more than ${(maxBytes / 1e9).toFixed(1)} GB of memory and was closed.`);
export const crashed = (message) => new Failure("crashed", message, { retryable: true });

/** The proxy's own response, not the site's, with its reason. */
export function refusedByProxy(refusal, finalUrl) {
  return new Failure("refused", `The page leads to an address that may not be requested: ${refusal}.`, { finalUrl, refusal });
}

export function refusedStatus(status, finalUrl) {
  const retryable = RETRYABLE_STATUSES.has(status) || status >= FIRST_SERVER_ERROR;
  return new Failure("http_status", `The site responded with status ${status}.`, { retryable, status, finalUrl });
}

// A retry does not help with these; every other network error may be temporary.
const LASTING =
  /^ERR_(CERT_|SSL_|BLOCKED_BY_|UNSAFE_|INVALID_|TOO_MANY_REDIRECTS|UNKNOWN_URL|DISALLOWED_URL|ACCESS_DENIED)/;

/** Any error that Playwright threw, as a Failure. */
export function asFailure(error) {
  if (error instanceof Failure) return error;
  const message = String(error?.message ?? error)
    .split("\n")[0]
    .slice(0, 500);
  if (error?.name === "TimeoutError") return timedOut("The page did not load in time.");
  if (message.includes("Target crashed")) return crashed("The page's own process ended.");
  if (message.includes("Download is starting"))
    return new Failure("non_html", "The address is a download, not a page.");
  const network = message.match(/net::(ERR_\w+)/)?.[1];
  if (network) {
    return new Failure("fetch_failed", `The page could not be loaded (${network}).`, {
      retryable: !LASTING.test(network),
    });
  }
  return new Failure("fetch_failed", `The page could not be opened: ${message}`, { retryable: true });
}

/** The promise's own outcome, or this failure when it takes longer; its later outcome is ignored. */
export async function within(milliseconds, promise, failure) {
  promise.catch(() => {});
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(failure()), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
