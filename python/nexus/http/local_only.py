"""Dev mode has no authentication, so it accepts requests from this machine only, whatever address the server listens
on."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from nexus.config import is_loopback
from nexus.errors import RemoteDevAccessError
from nexus.http.errors import response_to

# A proxy on this machine forwards requests of others; whether these headers are true cannot be checked.
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
REFUSED = (
    "This server runs with NEXUS_AUTH=dev, which needs no token, and accepts requests from its own machine only. "
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
    """From loopback or a unix socket (which has no address), and not forwarded by a proxy."""
    client = scope.get("client")
    headers = Headers(scope=scope)
    return (client is None or is_loopback(client[0])) and not any(name in headers for name in FORWARDED)
