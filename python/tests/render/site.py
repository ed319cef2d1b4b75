"""A web site on loopback whose pages the tests write, and a canary that no page may reach."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.loopback_server import LoopbackServer, QuietHandler, running
from tests.processes import eventually
from tests.render.browser_processes import PAGE_SECONDS

WORDS = "The committee met on a Tuesday in the long room above the market, and nobody could later say who spoke first. "


def article(title: str = "The long room", paragraphs: int = 12, extra: str = "") -> str:
    body = "".join(f"<p>Paragraph {number}. {WORDS * 3}</p>" for number in range(paragraphs))
    return f"<!doctype html><title>{title}</title><body><article><h1>{title}</h1>{body}</article>{extra}"


@dataclass
class PageResponse:
    body: bytes | Callable[[Any], None]
    status: int = 200
    type: str | None = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


class Site(LoopbackServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, PageResponse] = {}
        self.seen: list[str] = []
        self.requests: list[dict[str, str]] = []
        self.open = threading.Event()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def page(self, path: str, html: str = "", **how: Any) -> str:
        self.pages[path] = PageResponse(html.encode(), **how)
        return self.origin + path

    def stream(self, path: str, write: Callable[[Any], None]) -> str:
        """A page that `write` sends in parts; it may wait for `self.open` and never end."""
        self.pages[path] = PageResponse(write)
        return self.origin + path

    def held_page(self, path: str, html: str, may_end: Callable[[], bool], complaint: str) -> str:
        """Its end is sent when it may end: until then it is not complete, however busy the machine is."""

        def write(request: Any) -> None:
            request.wfile.write(html.encode())
            request.wfile.flush()
            eventually(may_end, complaint, seconds=PAGE_SECONDS / 2)

        return self.stream(path, write)

    def endless_page(self, path: str, html: str = "") -> str:
        """More of it is sent until the browser leaves it."""

        def write(request: Any) -> None:
            request.wfile.write(html.encode())
            while not self.open.wait(0.1):
                request.wfile.write(b"<p>more</p>")

        return self.stream(path, write)


class _Handler(QuietHandler):
    server: Site
    posted = ""

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        self.server.requests.append({name.lower(): value for name, value in self.headers.items()})
        response = self.server.pages.get(urlsplit(self.path).path, PageResponse(b"nothing here", status=404))
        self.send_response(response.status)
        if response.type:
            self.send_header("Content-Type", response.type)
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        if callable(response.body):
            response.body(self)
        else:
            self.wfile.write(response.body)

    def do_POST(self) -> None:
        self.posted = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.do_GET()


@contextmanager
def site() -> Iterator[Site]:
    with running(Site()) as server:
        yield server
        server.open.set()


class HangingPage:
    """A page that waits in the middle at the first request; at the second it is sent at once."""

    def __init__(self, site: Site, path: str) -> None:
        self.reached, self.resume = threading.Event(), threading.Event()
        self.requests = 0
        self.url = site.stream(path, self._write)

    def _write(self, request: Any) -> None:
        self.requests += 1
        request.wfile.write(b"<!doctype html><title>Hanging</title>")
        request.wfile.flush()
        if self.requests == 1:
            self.reached.set()
            self.resume.wait(300)
        request.wfile.write(article("Hanging").encode())


class Canary:
    """A TCP and a UDP port; it records every connection and datagram."""

    LAST = b"the canary is closed"

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.hits: list[str] = []
        self._threads = [threading.Thread(target=self._accept), threading.Thread(target=self._receive)]
        for thread in self._threads:
            thread.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def close(self) -> None:
        """Everything that reached it before is recorded afterwards; may be called again."""
        if any(thread.is_alive() for thread in self._threads):
            self.udp.sendto(self.LAST, ("127.0.0.1", self.port))
            with socket.create_connection(("127.0.0.1", self.port)) as last:
                last.sendall(self.LAST)
        for thread in self._threads:
            thread.join()
        self.tcp.close()
        self.udp.close()

    def _accept(self) -> None:
        while (received := self._received()) != self.LAST:
            self.hits.append(f"tcp {received[:80]!r}")

    def _received(self) -> bytes:
        """What the next client sends, which may be nothing."""
        client, _ = self.tcp.accept()
        with client, suppress(OSError):
            client.settimeout(1)
            return client.recv(200)
        return b""

    def _receive(self) -> None:
        while (received := self.udp.recv(200)) != self.LAST:
            self.hits.append(f"udp {received[:80]!r}")
