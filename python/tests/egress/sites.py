"""Servers on loopback: a site with routes set by the test, and a canary that no request may reach."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

from tests.loopback_server import QuietHandler, running

# Stands for the public Internet: another loopback address than the canary's, on the tests' allow list.
PUBLIC = "127.0.0.2"


class SiteHandler(QuietHandler):
    """Passes the request to the site's route."""

    protocol_version = "HTTP/1.1"
    server: "Site"

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length)
        self.server.requests.append(RecordedRequest(self.command, self.path, dict(self.headers.items()), body))
        self.server.routes[self.path.partition("?")[0]](self)

    do_HEAD = do_POST = do_GET  # noqa: N815

    def respond(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@dataclass(frozen=True)
class RecordedRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Route = Callable[[SiteHandler], None]


class Site(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: str = PUBLIC, port: int = 0) -> None:
        super().__init__((address, port), SiteHandler)
        self.routes: dict[str, Route] = {}
        self.requests: list[RecordedRequest] = []
        self.connections = 0
        self.port: int = self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        accepted = super().get_request()
        self.connections += 1
        return accepted

    def handle_error(self, *_: Any) -> None:
        """No traceback: these tests make clients that disconnect in the middle."""

    def url(self, path: str = "/") -> str:
        scheme = "https" if isinstance(self.socket, ssl.SSLSocket) else "http"
        return f"{scheme}://{self.server_address[0]!s}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [seen.path for seen in self.requests]


@dataclass
class Canary:
    """Listens on loopback, IPv4 and IPv6, in place of a private service and records every connection."""

    port: int
    hits: list[str] = field(default_factory=list)

    def listen(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            self.hits.append(str(peer))
            connection.close()


@contextmanager
def canary_on(port: int = 0) -> Iterator[Canary]:
    with ExitStack() as stack:
        four, six = _both_families(port)
        canary = Canary(four.getsockname()[1])
        for listener in (four, six):
            thread = threading.Thread(target=canary.listen, args=(stack.enter_context(listener),), daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
        yield canary


def _both_families(port: int) -> tuple[socket.socket, socket.socket]:
    """Listeners on the same port; one that is free on IPv4 may be taken on IPv6, then another is tried."""
    while True:
        four = socket.create_server(("127.0.0.1", port))
        try:
            return four, socket.create_server(("::1", four.getsockname()[1]), family=socket.AF_INET6)
        except OSError:
            four.close()
            if port:
                raise


@contextmanager
def site_and_canary() -> Iterator[tuple[Site, Canary]]:
    """On the same port, so that they differ only in the address."""
    with ExitStack() as stack:
        canary: Canary | None = None
        site = Site()
        while canary is None:
            try:
                canary = stack.enter_context(canary_on(site.port))
            except OSError:
                site.server_close()
                site = Site()
        yield stack.enter_context(running(site)), canary


def redirect(location: str, status: int = 302) -> Route:
    return lambda handler: handler.respond(status, b"moved", Location=location)


def text(body: bytes = b"hello", **headers: str) -> Route:
    return lambda handler: handler.respond(200, body, **headers)
