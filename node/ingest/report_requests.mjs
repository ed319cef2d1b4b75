/** Reports which hosts a page requests: the proxy refuses the browser all others. */

const MAX_HOSTS_PER_PAGE = 500;

/**
 * Redirects, frames, workers and further windows included; `report` is called once for each host and port. Not reported, and
 * so refused, are WebSockets of workers and of cross-origin frames to a host that nothing else was requested from.
 */
export function reportRequests(context, report) {
  const reported = new Set();
  const reportOnce = (url) => {
    const origin = originOf(url);
    if (origin === null || reported.has(origin) || reported.size >= MAX_HOSTS_PER_PAGE) return;
    reported.add(origin);
    report(origin);
  };
  context.on("request", (request) => reportOnce(request.url()));
  context.on("page", (page) => reportSockets(context, page, reportOnce));
}

/** Playwright reports a WebSocket only once it is connected, for which its host must have been reported before. */
async function reportSockets(context, page, reportOnce) {
  try {
    const session = await context.newCDPSession(page);
    session.on("Network.webSocketCreated", ({ url }) => reportOnce(url));
    await session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  } catch {
    // The page or its browser is gone, which its opener notices. A socket that is not reported is refused.
  }
}

function originOf(url) {
  const { protocol, host } = new URL(url);
  return /^(https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : null;
}
