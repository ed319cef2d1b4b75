"""The HTTP client: connects only to checked addresses, follows redirects by the same rules, limits size and time."""

import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self, TypedDict, Unpack

import httpcore2

from nexus.errors import ConnectionFailedError, EgressError, TooManyRedirectsError
from nexus.web.egress.connections import ConnectionPool, PooledConnection
from nexus.web.egress.decoding import ACCEPTED
from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline, Limits
from nexus.web.egress.politeness import HostPauses, Politeness
from nexus.web.egress.resolver import Resolver, system_resolver
from nexus.web.egress.response import FetchedResponse, Headers, Hop, Response
from nexus.web.egress.target import MAX_URL, Target
from nexus.web.public_address import AllowList
from nexus.web.urls import may_request

REDIRECTS = frozenset({301, 302, 303, 307, 308})
KEEPS_METHOD = frozenset({307, 308})
MAX_PER_HOST = 4
# Headers that are still sent after a redirect to another origin: they say nothing about the user.
CROSS_ORIGIN_HEADERS = frozenset(
    {"accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "range", "user-agent"}
)
SET_BY_US = frozenset({"connection", "content-length", "cookie", "host", "transfer-encoding"})

Content = bytes | Iterable[bytes] | None


class RequestOptions(TypedDict, total=False):
    method: str
    headers: Mapping[str, str] | None
    content: Content
    limits: Limits | None


@dataclass(frozen=True)
class _Request:
    target: Target
    method: str
    headers: Mapping[str, str]
    content: Content

    def after(self, status: int, target: Target) -> "_Request":
        headers = self.headers
        if target.origin != self.target.origin:
            headers = {name: value for name, value in headers.items() if name in CROSS_ORIGIN_HEADERS}
        if status in KEEPS_METHOD or self.method in ("GET", "HEAD"):
            return replace(self, target=target, headers=headers)
        headers = {name: value for name, value in headers.items() if not name.startswith("content-")}
        return _Request(target, "GET", headers, None)

    def can_follow(self, status: int) -> bool:
        """False for a streamed body, which is consumed and cannot be sent again."""
        replayable = self.content is None or isinstance(self.content, bytes)
        return replayable or status not in KEEPS_METHOD


@lru_cache(maxsize=1)
def _default_ssl_context() -> ssl.SSLContext:
    """Cached, because loading all certificate authorities takes 30 ms."""
    return httpcore2.default_ssl_context()


class Egress:
    """There is one per process, shared by its threads."""

    def __init__(
        self,
        *,
        allow: AllowList,
        user_agent: str,
        limits: Limits = Limits(),  # noqa: B008
        resolver: Resolver = system_resolver,
        per_host: int = MAX_PER_HOST,
        waits_for_hosts: bool = True,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.dialer = Dialer(allow, resolver)
        self.user_agent = user_agent
        self.limits = limits
        self._politeness = Politeness(per_host, waits=waits_for_hosts)
        self._connections = ConnectionPool(self.dialer, ssl_context or _default_ssl_context())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connections.close()

    @property
    def pauses(self) -> HostPauses:
        return self._politeness.pauses

    def share_pauses(self, pauses: HostPauses) -> None:
        """The pauses of another Egress of this process, so that a pause that a site requested from one applies to
        both."""
        self._politeness.pauses = pauses

    def may_request(self, url: str) -> bool:
        """Checks only the URL: the addresses of a name are checked when connecting."""
        return may_request(url, max_length=MAX_URL, allow=self.dialer.allow)

    def fetch(self, url: str, **options: Unpack[RequestOptions]) -> FetchedResponse:
        """The whole body in memory, which ``limits.max_bytes`` bounds."""
        with self.stream(url, **options) as response:
            body = b"".join(response.iter_bytes())
            return FetchedResponse(response.status, response.headers, response.url, response.hops, body)

    @contextmanager
    def stream(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: Content = None,
        limits: Limits | None = None,
    ) -> Iterator[Response]:
        """Send the request and follow redirects; the body is read inside the ``with``."""
        limits = limits or self.limits
        deadline = Deadline(limits.total_seconds)
        hops: list[Hop] = []
        request = _Request(Target.parse(url, self.dialer.allow), method.upper(), self._headers(headers), content)
        try:
            while True:
                with self._response(request, tuple(hops), limits, deadline) as response:
                    location = response.headers.get("location")
                    if response.status not in REDIRECTS or not location or not request.can_follow(response.status):
                        yield response
                        return
                if len(hops) >= limits.max_redirects:
                    raise TooManyRedirectsError(f"The site redirected more than {limits.max_redirects} times.")
                hops.append(Hop(response.status, request.target.url))
                request = request.after(response.status, request.target.redirected(location, self.dialer.allow))
        except EgressError as error:
            error.final_url = error.final_url or request.target.url
            raise

    def _headers(self, given: Mapping[str, str] | None) -> dict[str, str]:
        own = {name.lower(): value for name, value in (given or {}).items()}
        # A range of a compressed body cannot be decompressed.
        encoding = "identity" if "range" in own else ACCEPTED
        return {"user-agent": self.user_agent, "accept": "*/*", "accept-encoding": encoding} | own

    @contextmanager
    def _response(
        self, request: _Request, hops: tuple[Hop, ...], limits: Limits, deadline: Deadline
    ) -> Iterator[Response]:
        host = (request.target.host, request.target.port)
        with self._politeness.slot(host, deadline), _protocol_errors(request.target.host):
            connection, raw = self._send(request, limits, deadline)
            try:
                headers = Headers(raw.headers)
                self._politeness.note_response(host, raw.status, headers)
                yield Response(
                    raw.status, headers, request.target.url, hops, request.method, raw.iter_stream(), limits.max_bytes
                )
            finally:
                raw.close()
                self._connections.release(connection)

    def _send(
        self, request: _Request, limits: Limits, deadline: Deadline
    ) -> tuple[PooledConnection, httpcore2.Response]:
        connection = self._connections.acquire(request.target.origin, deadline)
        try:
            return connection, connection.send(_core_request(request, limits), deadline)
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError):
            connection.close()
            if connection.is_fresh or request.method not in ("GET", "HEAD"):
                raise
        except BaseException:
            connection.close()
            raise
        # The site closed an idle connection at the moment we used it.
        connection = self._connections.open(request.target.origin, deadline)
        try:
            return connection, connection.send(_core_request(request, limits), deadline)
        except BaseException:
            connection.close()
            raise


def _core_request(request: _Request, limits: Limits) -> httpcore2.Request:
    headers = [("host", request.target.authority)]
    headers += [(name, value) for name, value in request.headers.items() if name not in SET_BY_US]
    if isinstance(request.content, bytes):
        headers.append(("content-length", str(len(request.content))))
    elif request.content is not None:
        headers.append(("transfer-encoding", "chunked"))
    timeouts = {"connect": limits.connect_seconds, "read": limits.read_seconds, "write": limits.read_seconds}
    return httpcore2.Request(
        request.method,
        request.target.core_url(),
        headers=headers,
        content=request.content,
        extensions={"timeout": timeouts, "sni_hostname": request.target.host.removesuffix(".")},
    )


@contextmanager
def _protocol_errors(host: str) -> Iterator[None]:
    try:
        yield
    except httpcore2.LocalProtocolError as error:
        raise ConnectionFailedError(f"The request to {host} cannot be sent: {error}.", retryable=False) from error
    except httpcore2.RemoteProtocolError as error:
        raise ConnectionFailedError(f"{host} sent an invalid HTTP response: {error}") from error
    except httpcore2.NetworkError as error:
        raise ConnectionFailedError(f"The connection to {host} broke: {error}.") from error
