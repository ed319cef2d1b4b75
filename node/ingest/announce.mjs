/** Says which hosts a page asks for: the proxy lets the browser reach no others. */

const HOSTS_PER_PAGE = 500;

/**
 * Redirects, frames, workers and further windows included; `say` is called once for each host and port. Not announced, and
 * so refused, are WebSockets of workers and of frames from elsewhere to a host that nothing else is asked for.
 */
export function announceRequests(context, say) {
  const told = new Set();
  const tell = (url) => {
    const origin = originOf(url);
    if (origin === null || told.has(origin) || told.size >= HOSTS_PER_PAGE) return;
    told.add(origin);
    say(origin);
  };
  context.on("request", (request) => tell(request.url()));
  context.on("page", (page) => tellOfSockets(context, page, tell));
}

/** Playwright tells of a WebSocket only when it is connected, for which it must have been announced. */
async function tellOfSockets(context, page, tell) {
  try {
    const session = await context.newCDPSession(page);
    session.on("Network.webSocketCreated", ({ url }) => tell(url));
    await session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  } catch {
    // The page or its browser is gone, which whoever opened it is told. A socket that is not announced goes nowhere.
  }
}

function originOf(url) {
  const { protocol, host } = new URL(url);
  return /^(https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : null;
}
