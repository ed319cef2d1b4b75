"""Checks which page a request comes from: only our own pages may change anything or use the API."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from nexus.errors import ForeignOriginError
from nexus.http.errors import response_to

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
DEFAULT_PORTS = {"http": 80, "https": 443}
# Values of Sec-Fetch-Site for requests that no other origin's page made; pages cannot set this header.
OWN_PAGE = "same-origin"
NO_PAGE = "none"
# In the scope of a request that a browser extension may make (http/extension_access.py).
FROM_EXTENSION = "nexus.from_extension"
CHANGES_FROM_ELSEWHERE = (
    "Changes are only accepted from this server's own pages, not from another site or another port. "
    "If a reverse proxy is in front, it must pass the Host header on and set X-Forwarded-Proto."
)
NO_ORIGIN = (
    "A change that is sent with a cookie must say which page it comes from (Origin). "
    "Programs send 'Authorization: Bearer <token>' instead of the cookie."
)
READ_FROM_ELSEWHERE = "Pages of another site or another port cannot load anything from this server; links to it work."


@dataclass(frozen=True)
class Origin:
    scheme: str
    host: str
    port: int


def origin_of(text: str) -> Origin | None:
    """Parses an Origin header; None for 'null', an extension's and a malformed one."""
    scheme, separator, authority = text.lower().partition("://")
    if not separator or scheme not in DEFAULT_PORTS:
        return None
    return _origin(scheme, authority)


def addressed_origin(scope: Scope) -> Origin | None:
    """The origin in the client's URL: by the Host header and the scheme of our socket or of a trusted proxy."""
    hosts = Headers(scope=scope).getlist("host")
    scheme = scope.get("scheme", "http")
    return _origin(scheme, hosts[0].lower()) if len(hosts) == 1 and scheme in DEFAULT_PORTS else None


def host_name(host: str) -> str | None:
    """The name in a Host header, without its port; None if it is malformed."""
    found = _origin("http", host)
    return found.host if found else None


def check_change(scope: Scope) -> None:
    """Refuse a request that changes something unless one of our own pages or no page sent it."""
    headers = Headers(scope=scope)
    sites, origins = headers.getlist("sec-fetch-site"), headers.getlist("origin")
    if any(site not in {OWN_PAGE, NO_PAGE} for site in sites):
        raise ForeignOriginError(CHANGES_FROM_ELSEWHERE)
    if origins and not (len(origins) == 1 and _is_ours(origins[0], scope, vouched=sites == [OWN_PAGE])):
        raise ForeignOriginError(CHANGES_FROM_ELSEWHERE)
    # Every browser sends Origin with a change. A foreign page cannot send an Authorization header.
    if not sites and not origins and "cookie" in headers and "authorization" not in headers:
        raise ForeignOriginError(NO_ORIGIN)


def _is_ours(origin: str, scope: Scope, *, vouched: bool) -> bool:
    ours, theirs = addressed_origin(scope), origin_of(origin)
    if ours is None or theirs is None:
        return False
    if ours == theirs:
        return True
    # TLS ends at a proxy whose X-Forwarded-Proto is not trusted: the browser itself vouches that the page is ours.
    plain = _origin(theirs.scheme, Headers(scope=scope)["host"].lower())
    return vouched and ours.scheme == "http" and theirs.scheme == "https" and plain == theirs


def _origin(scheme: str, authority: str) -> Origin | None:
    try:
        parts = urlsplit(f"//{authority}")
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or _has_more_than_an_authority(parts):
        return None
    return Origin(scheme, parts.hostname.rstrip("."), DEFAULT_PORTS[scheme] if port is None else port)


def _has_more_than_an_authority(parts: SplitResult) -> bool:
    return parts.username is not None or bool(parts.path or parts.query or parts.fragment)


class ForeignReadGuard:
    """Between the viewer's files and the API: other origins' pages may link here, but load nothing.

    They could not read the response anyway, but the request alone costs something: an event stream takes one of a
    user's sixteen, a picture makes us fetch it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and FROM_EXTENSION not in scope and _is_foreign_read(Headers(scope=scope)):
            await response_to(ForeignOriginError(READ_FROM_ELSEWHERE))(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_foreign_read(headers: Headers) -> bool:
    # A link that a user follows; not an <iframe> or <object>, which are navigations too.
    opened = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", NO_PAGE) not in {OWN_PAGE, NO_PAGE} and not opened
