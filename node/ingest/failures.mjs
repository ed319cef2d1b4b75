/** What can go wrong, by name. The exit code is what a shell sees; the code is what a program reads. */
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

/** The proxy's own answer, not the site's; it names its reason. */
export function refusedByDoor(refusal, finalUrl) {
  return new Failure("refused", `The page leads to an address that was not called: ${refusal}.`, { finalUrl, refusal });
}

export function refusedStatus(status, finalUrl) {
  const retryable = RETRYABLE_STATUSES.has(status) || status >= FIRST_SERVER_ERROR;
  return new Failure("http_status", `The site answered with status ${status}.`, { retryable, status, finalUrl });
}

// Asking again changes nothing about these; every other network error may pass.
const LASTING =
  /^ERR_(CERT_|SSL_|BLOCKED_BY_|UNSAFE_|INVALID_|TOO_MANY_REDIRECTS|UNKNOWN_URL|DISALLOWED_URL|ACCESS_DENIED)/;

/** Whatever Playwright threw, as one of ours. */
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

/** The promise's own outcome, or this failure when it takes longer. What it does later is nobody's concern. */
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
