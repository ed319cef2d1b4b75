"""What a browser extension may request: a few routes, with a token of its own and never with a cookie.

Web pages cannot send an extension's Origin. Every other extension in the same browser can, so the Origin alone proves
nothing: without a token an extension can neither read nor change anything.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from nexus.errors import ForeignOriginError
from nexus.http.origin import FROM_EXTENSION

EXTENSION_ORIGIN = re.compile(r"(?:chrome|moz|safari-web)-extension://[A-Za-z0-9._-]{1,100}")
ID = "[0-9A-Fa-f-]{36}"
WITH_TOKEN = re.compile(
    rf"POST (?:/api/captures|/items)|GET (?:/api/captures/lookup|/items/{ID}|/api/tags|/api/me)"
    rf"|PATCH /api/library/{ID}|DELETE /api/pairings/current"
)
WITHOUT_TOKEN = re.compile("POST /api/pairings/exchange")  # its code is what it has
BEARER = "bearer "
# Who is asking is decided by the token alone.
IDENTITY_HEADERS = frozenset({b"cookie", b"x-user-id"})
ALLOWED_HEADERS = "authorization, content-encoding, content-type, idempotency-key, x-request-id"
EXPOSED_HEADERS = "retry-after, x-request-id, x-server-time"
PREFLIGHT_SECONDS = "600"
REFUSED = (
    "A browser extension can use this server only for saving pages, and only with the token it got when it was paired. "
    "Pair it in the settings of Nexus."
)


def extension_origin(headers: Headers) -> str | None:
    origins = headers.getlist("origin")
    return origins[0] if len(origins) == 1 and EXTENSION_ORIGIN.fullmatch(origins[0]) else None


def is_for_saving(scope: Scope) -> bool:
    """Whether a paired browser may ask for it."""
    return WITH_TOKEN.fullmatch(f"{scope['method']} {scope['path']}") is not None


def is_preflight(scope: Scope) -> bool:
    return scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope)


def preflight_response(scope: Scope, origin: str) -> Response:
    """A preflight has no token: the response says only whether a request with one would be accepted."""
    headers = Headers(scope=scope)
    wanted = f"{headers['access-control-request-method']} {scope['path']}"
    if not (WITH_TOKEN.fullmatch(wanted) or WITHOUT_TOKEN.fullmatch(wanted)):
        raise ForeignOriginError(REFUSED)
    allowed = {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": headers["access-control-request-method"],
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": PREFLIGHT_SECONDS,
        "Vary": "Origin",
    }
    if headers.get("access-control-request-private-network") == "true":
        allowed["Access-Control-Allow-Private-Network"] = "true"
    return Response(status_code=204, headers=allowed)


def admit_extension(scope: Scope) -> None:
    """Mark the request as one of an extension, which is identified by its token alone; refuse it if extensions may not
    use the route."""
    request = f"{scope['method']} {scope['path']}"
    has_token = Headers(scope=scope).get("authorization", "").lower().startswith(BEARER)
    if not (WITHOUT_TOKEN.fullmatch(request) or (has_token and WITH_TOKEN.fullmatch(request))):
        raise ForeignOriginError(REFUSED)
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name.lower() not in IDENTITY_HEADERS]
    scope[FROM_EXTENSION] = True


def with_cors(send: Send, origin: str) -> Send:
    """The extension may read the response, errors included. Never with credentials: a cookie does not count here."""

    async def send_with_cors(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
            headers.add_vary_header("Origin")
        await send(message)

    return send_with_cors
