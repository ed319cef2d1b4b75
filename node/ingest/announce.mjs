/** Says which hosts a page asks for: the proxy lets the browser reach no others. */

const HOSTS_PER_PAGE = 500;

/** Redirects, frames, workers and further windows included; `say` is called once for each host and port. */
export function announceRequests(context, say) {
  const told = new Set();
  const tell = (url) => {
    const origin = originOf(url);
    if (origin === null || told.has(origin) || told.size >= HOSTS_PER_PAGE) return;
    told.add(origin);
    say(origin);
  };
  context.on("request", (request) => tell(request.url()));
  context.on("page", (page) => page.on("websocket", (socket) => tell(socket.url())));
}

function originOf(url) {
  const { protocol, host } = new URL(url);
  return /^(https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : null;
}
