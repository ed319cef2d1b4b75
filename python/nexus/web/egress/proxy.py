"""The proxy that Chromium's requests go through. It listens on loopback and checks them like any other egress."""

import base64
import re
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from nexus.errors import BlockedAddressError, ConnectionFailedError, EgressError, InvalidUrlError, NexusError
from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline
from nexus.web.egress.proxy_messages import END_OF_HEAD, MAX_HEAD, BadMessageError, RequestHead, ResponseHead
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.egress.target import Target
from nexus.web.egress.tunnel import Direction, relay

AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@\\:\[\]]+):\d{1,5}")
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
USER = "nexus"
REFUSED_ERRORS = (BlockedAddressError, InvalidUrlError)


@dataclass(frozen=True)
class ProxyLimits:
    connections: int = 256
    head_seconds: float = 10
    requested_host_seconds: float = 3
    connect_seconds: float = 5
    idle_seconds: float = 30
    total_seconds: float = 120
    max_bytes: int = 50_000_000  # received by one connection


Handler = Callable[[socket.socket], None]


class FilteringProxy:
    """Listens on 127.0.0.1 and requires a password, so that no other user of this machine can use it.

    With `requested_hosts`, it connects only to hosts that a page requested, not to Chromium's own services.
    """

    def __init__(
        self,
        dialer: Dialer,
        limits: ProxyLimits = ProxyLimits(),  # noqa: B008
        *,
        requested_hosts: RequestedHosts | None = None,
    ) -> None:
        self.requested_hosts = requested_hosts
        self.username = USER
        self.password = secrets.token_urlsafe(32)
        self._dialer = dialer
        self._limits = limits
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._lock = threading.Lock()
        self._live: set[socket.socket] = set()
        self._accepting = threading.Thread(target=self._accept, name="egress-proxy", daemon=True)
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._accepting.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        with self._lock:
            live = tuple(self._live)
        for connection in live:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                full = len(self._live) >= self._limits.connections
                self._live.add(client)
            handler = self._refuse_busy if full else self._serve
            threading.Thread(target=self._handle, args=(handler, client), name="egress-proxied", daemon=True).start()

    def _handle(self, handler: Handler, client: socket.socket) -> None:
        try:
            handler(client)
        except NexusError as error:
            self._refuse(client, error)
        except OSError:
            pass  # one of the two closed the connection
        finally:
            with self._lock:
                self._live.discard(client)
            client.close()

    def _refuse_busy(self, _: socket.socket) -> None:
        raise BadMessageError("Too many connections at once.", 503)

    def _serve(self, client: socket.socket) -> None:
        head, body = _read_head(client, Deadline(self._limits.head_seconds))
        request = RequestHead.parse(head)
        if not self._is_authorized(request):
            raise BadMessageError("This proxy serves only its own browser.", 407)
        deadline = Deadline(self._limits.total_seconds)
        target = _target(request, self._dialer)
        self._refuse_unrequested_host(target)
        with self._dialer.dial(target.host, target.port, deadline, self._limits.connect_seconds) as upstream:
            if request.method == "CONNECT":
                self._tunnel(client, upstream, body, deadline)
            else:
                self._forward(client, upstream, request.forwarded(target.authority, target.path) + body, deadline)

    def _refuse_unrequested_host(self, target: Target) -> None:
        if self.requested_hosts and not self.requested_hosts.wait_for(
            target.host, target.port, self._limits.requested_host_seconds
        ):
            raise BadMessageError("No page requested this host.", 403)

    def _tunnel(self, client: socket.socket, upstream: socket.socket, sent: bytes, deadline: Deadline) -> None:
        client.sendall(ESTABLISHED)
        self._relay(Direction(client, upstream, sent), Direction(upstream, client), deadline)

    def _forward(self, client: socket.socket, upstream: socket.socket, request: bytes, deadline: Deadline) -> None:
        response = ResponseHead()
        with suppress(OSError):  # one of the two closed the connection; without a response, the client gets an error
            self._relay(Direction(client, upstream, request), Direction(upstream, client, transform=response), deadline)
        if not response.passed:
            raise ConnectionFailedError("The site closed the connection without a response.")

    def _relay(self, up: Direction, down: Direction, deadline: Deadline) -> None:
        limits = self._limits
        relay(up, down, deadline=deadline, idle_seconds=limits.idle_seconds, max_bytes=limits.max_bytes)

    def _is_authorized(self, request: RequestHead) -> bool:
        expected = b"Basic " + base64.b64encode(f"{self.username}:{self.password}".encode())
        return secrets.compare_digest(request.get("proxy-authorization"), expected)

    def _refuse(self, client: socket.socket, error: NexusError) -> None:
        status = 403 if isinstance(error, REFUSED_ERRORS) else error.status
        body = f"{error.message}\n".encode()
        lines = [
            f"HTTP/1.1 {status} Refused by Nexus",
            "Content-Type: text/plain; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
            f"X-Nexus-Refusal: {error.code if isinstance(error, EgressError) else 'bad_request'}",
            *(['Proxy-Authenticate: Basic realm="nexus"'] if status == 407 else []),  # noqa: PLR2004
        ]
        with suppress(OSError):
            client.settimeout(self._limits.head_seconds)
            client.sendall("\r\n".join(lines).encode() + END_OF_HEAD + body)
            # Closing with unread bytes would reset the connection before the browser reads the reason.
            client.shutdown(socket.SHUT_WR)
            client.settimeout(1)
            client.recv(MAX_HEAD)


def _read_head(client: socket.socket, deadline: Deadline) -> tuple[bytes, bytes]:
    received = b""
    while END_OF_HEAD not in received and len(received) <= MAX_HEAD:
        client.settimeout(deadline.bounded(None))
        data = client.recv(MAX_HEAD)
        if not data:
            raise ConnectionResetError
        received += data
    head, _, body = received.partition(END_OF_HEAD)
    if len(head) > MAX_HEAD:
        raise BadMessageError("The request line and headers are too large.", 431)
    return head + END_OF_HEAD, body


def _target(request: RequestHead, dialer: Dialer) -> Target:
    if request.method == "CONNECT":
        if not AUTHORITY.fullmatch(request.target):
            raise BadMessageError("CONNECT needs a host and a port.")
        return Target.parse(f"https://{request.target}/", dialer.allow)
    if not request.target.lower().startswith("http://"):
        raise BadMessageError("A proxy needs a complete http URL.")
    return Target.parse(request.target, dialer.allow)
