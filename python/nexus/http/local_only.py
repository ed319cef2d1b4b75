"""Dev mode believes whoever asks: it answers this machine only, whatever address the server was told to listen on."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from nexus.config import is_loopback
from nexus.errors import RemoteDevAccessError
from nexus.http.errors import response_to

# A proxy on this machine speaks for others. Whether what it says of them is true cannot be told from here.
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
REFUSED = (
    "This server runs with NEXUS_AUTH=dev, where nobody needs a token, and answers requests of its own machine only. "
    "Set NEXUS_AUTH=token, or NEXUS_ALLOW_DEV_AUTH=1 if the network is yours alone."
)


class LocalOnlyGuard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"} and not _is_local(scope):
            await response_to(RemoteDevAccessError(REFUSED))(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_local(scope: Scope) -> bool:
    """A loopback peer, or a unix socket's (which has no address), that passes nobody else's request on."""
    client = scope.get("client")
    headers = Headers(scope=scope)
    return (client is None or is_loopback(client[0])) and not any(name in headers for name in FORWARDED)
