"""The one door out: parse, check, connect to what was checked, follow redirects by the same rules, count everything."""

import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self, TypedDict, Unpack

import httpcore2

from nexus.errors import ConnectionFailedError, EgressError, TooManyRedirectsError
from nexus.web.egress.connections import Connection, Connections
from nexus.web.egress.decoding import ACCEPTED
from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline, Limits
from nexus.web.egress.politeness import Politeness
from nexus.web.egress.resolver import Resolver, system_resolver
from nexus.web.egress.response import Fetched, Headers, Hop, Response
from nexus.web.egress.target import MAX_URL, Target
from nexus.web.public_address import AllowList
from nexus.web.urls import may_be_asked

REDIRECTS = frozenset({301, 302, 303, 307, 308})
KEEPS_THE_METHOD = frozenset({307, 308})
PER_HOST = 4
# What another origin may learn: how the answer should look, nothing about who asks.
CROSSES_ORIGINS = frozenset(
    {"accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "range", "user-agent"}
)
SET_BY_US = frozenset({"connection", "content-length", "cookie", "host", "transfer-encoding"})

Content = bytes | Iterable[bytes] | None


class RequestLog(TypedDict, total=False):
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
            headers = {name: value for name, value in headers.items() if name in CROSSES_ORIGINS}
        if status in KEEPS_THE_METHOD or self.method in ("GET", "HEAD"):
            return replace(self, target=target, headers=headers)
        headers = {name: value for name, value in headers.items() if not name.startswith("content-")}
        return _Request(target, "GET", headers, None)

    def can_follow(self, status: int) -> bool:
        """A body that was streamed is gone; sending it again elsewhere is not possible."""
        replayable = self.content is None or isinstance(self.content, bytes)
        return replayable or status not in KEEPS_THE_METHOD


@lru_cache(maxsize=1)
def _trusted_by_default() -> ssl.SSLContext:
    """Reading all authorities takes 30 ms; the answer is the same for the whole life of a process."""
    return httpcore2.default_ssl_context()


class Egress:
    """One per process; threads share it."""

    def __init__(
        self,
        *,
        allow: AllowList,
        user_agent: str,
        limits: Limits = Limits(),  # noqa: B008
        resolver: Resolver = system_resolver,
        per_host: int = PER_HOST,
        waits_for_hosts: bool = True,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.dialer = Dialer(allow, resolver)
        self.user_agent = user_agent
        self.limits = limits
        self._politeness = Politeness(per_host, waits=waits_for_hosts)
        self._connections = Connections(self.dialer, trust or _trusted_by_default())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connections.close()

    def may_ask(self, url: str) -> bool:
        """By the address alone: whether a name leads inside shows when it is asked."""
        return may_be_asked(url, max_length=MAX_URL, allow=self.dialer.allow)

    def fetch(self, url: str, **asked: Unpack[RequestLog]) -> Fetched:
        """The whole body in memory, which ``limits.max_bytes`` bounds."""
        with self.stream(url, **asked) as answer:
            body = b"".join(answer.iter_bytes())
            return Fetched(answer.status, answer.headers, answer.url, answer.hops, body)

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
        """Ask, follow redirects, and hand out the answer; its body is read inside the ``with``."""
        limits = limits or self.limits
        deadline = Deadline(limits.total_seconds)
        hops: list[Hop] = []
        ask = _Request(Target.parse(url, self.dialer.allow), method.upper(), self._headers(headers), content)
        try:
            while True:
                with self._answer(ask, tuple(hops), limits, deadline) as answer:
                    location = answer.headers.get("location")
                    if answer.status not in REDIRECTS or not location or not ask.can_follow(answer.status):
                        yield answer
                        return
                if len(hops) >= limits.max_redirects:
                    raise TooManyRedirectsError(f"The site sent us on more than {limits.max_redirects} times.")
                hops.append(Hop(answer.status, ask.target.url))
                ask = ask.after(answer.status, ask.target.redirected(location, self.dialer.allow))
        except EgressError as error:
            error.final_url = error.final_url or ask.target.url
            raise

    def _headers(self, given: Mapping[str, str] | None) -> dict[str, str]:
        own = {name.lower(): value for name, value in (given or {}).items()}
        # A part of a packed body cannot be unpacked.
        encoding = "identity" if "range" in own else ACCEPTED
        return {"user-agent": self.user_agent, "accept": "*/*", "accept-encoding": encoding} | own

    @contextmanager
    def _answer(self, ask: _Request, hops: tuple[Hop, ...], limits: Limits, deadline: Deadline) -> Iterator[Response]:
        host = (ask.target.host, ask.target.port)
        with self._politeness.turn(host, deadline), _protocol_errors(ask.target.host):
            connection, raw = self._send(ask, limits, deadline)
            try:
                headers = Headers(raw.headers)
                self._politeness.heard(host, raw.status, headers)
                yield Response(
                    raw.status, headers, ask.target.url, hops, ask.method, raw.iter_stream(), limits.max_bytes
                )
            finally:
                raw.close()
                self._connections.give_back(connection)

    def _send(self, ask: _Request, limits: Limits, deadline: Deadline) -> tuple[Connection, httpcore2.Response]:
        connection = self._connections.take(ask.target.origin, deadline)
        try:
            return connection, connection.send(_request(ask, limits), deadline)
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError):
            connection.close()
            if connection.is_fresh or ask.method not in ("GET", "HEAD"):
                raise
        except BaseException:
            connection.close()
            raise
        # The site had hung up on an idle connection at the moment we used it.
        connection = self._connections.open(ask.target.origin, deadline)
        try:
            return connection, connection.send(_request(ask, limits), deadline)
        except BaseException:
            connection.close()
            raise


def _request(ask: _Request, limits: Limits) -> httpcore2.Request:
    headers = [("host", ask.target.authority)]
    headers += [(name, value) for name, value in ask.headers.items() if name not in SET_BY_US]
    if isinstance(ask.content, bytes):
        headers.append(("content-length", str(len(ask.content))))
    elif ask.content is not None:
        headers.append(("transfer-encoding", "chunked"))
    timeouts = {"connect": limits.connect_seconds, "read": limits.read_seconds, "write": limits.read_seconds}
    return httpcore2.Request(
        ask.method,
        ask.target.core_url(),
        headers=headers,
        content=ask.content,
        extensions={"timeout": timeouts, "sni_hostname": ask.target.host.removesuffix(".")},
    )


@contextmanager
def _protocol_errors(host: str) -> Iterator[None]:
    try:
        yield
    except httpcore2.LocalProtocolError as error:
        raise ConnectionFailedError(f"{host} cannot be asked like this: {error}.", retryable=False) from error
    except httpcore2.RemoteProtocolError as error:
        raise ConnectionFailedError(f"{host} does not speak proper HTTP: {error}") from error
    except httpcore2.NetworkError as error:
        raise ConnectionFailedError(f"The connection to {host} broke: {error}.") from error
