"""A podcast host on loopback: real HTTP, feeds and files as publishers serve them, and a record of the requests."""

import hashlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.loopback_server import LoopbackServer, QuietHandler, running


@dataclass
class ReceivedRequest:
    method: str
    path: str
    headers: dict[str, str]
    status: int = 0
    sent: int = 0


@dataclass
class File:
    """One path. ``failures`` are the first responses."""

    body: bytes
    type: str = "application/octet-stream"
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    etag: bool = True
    ranges: bool = False
    failures: list["Failure"] = field(default_factory=list)
    gate: threading.Event | None = None


@dataclass
class Failure:
    """An error status, or a body that ends early."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None


class Host:
    def __init__(self, url: str) -> None:
        self.url = url
        self.files: dict[str, File] = {}
        self.requests: list[ReceivedRequest] = []
        self.concurrent = 0
        self.max_concurrent = 0
        self.lock = threading.Lock()
        self.on_request: Callable[[str], None] = lambda _: None

    def put(self, path: str, body: bytes | str, type: str = "application/octet-stream", **facts: object) -> str:  # noqa: A002
        self.files[path] = File(body.encode() if isinstance(body, str) else body, type, **facts)  # type: ignore[arg-type]
        return self.url + path

    def paths(self, status: int | None = None) -> list[str]:
        with self.lock:
            return [each.path for each in self.requests if status in (None, each.status)]

    def requests_to(self, path: str) -> list[ReceivedRequest]:
        with self.lock:
            return [each for each in self.requests if each.path == path]

    def clear_requests(self) -> None:
        with self.lock:
            self.requests.clear()


class _Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    host: Host

    def do_GET(self) -> None:
        request = ReceivedRequest("GET", self.path, {name.lower(): value for name, value in self.headers.items()})
        with self.host.lock:
            self.host.requests.append(request)
            self.host.concurrent += 1
            self.host.max_concurrent = max(self.host.max_concurrent, self.host.concurrent)
        self.host.on_request(self.path)
        try:
            self._respond(request)
        finally:
            with self.host.lock:
                self.host.concurrent -= 1

    def _respond(self, request: ReceivedRequest) -> None:
        file = self.host.files.get(self.path.partition("?")[0])
        if file is None:
            return self._send(request, 404, {}, b"nothing here")
        if file.gate:
            file.gate.wait(300)
        with self.host.lock:
            failure = file.failures.pop(0) if file.failures else None
        if failure and failure.status != 200:
            return self._send(request, failure.status, failure.headers, b"failure")
        headers = {"content-type": file.type, **file.headers}
        if file.etag:
            headers["etag"] = f'"{hashlib.sha256(file.body).hexdigest()[:16]}"'
            if request.headers.get("if-none-match") == headers["etag"]:
                return self._send(request, 304, headers, b"")
        body, status = file.body, file.status
        wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
        if file.ranges and wanted:
            start = int(wanted[1])
            if start >= len(body):
                return self._send(request, 416, {}, b"")
            headers["content-range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            body, status = body[start:], 206
        return self._send(request, status, headers, body, failure.cut_after if failure else None)

    def _send(
        self, request: ReceivedRequest, status: int, headers: dict[str, str], body: bytes, cut_after: int | None = None
    ) -> None:
        request.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        part = body if cut_after is None else body[:cut_after]
        try:
            request.sent = len(part)
            self.wfile.write(part)
            if cut_after is not None:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_WR)
                self.close_connection = True
        except OSError:  # the client was killed, as some tests do
            self.close_connection = True


class _Server(LoopbackServer):
    request_queue_size = 128


@contextmanager
def podcast_host() -> Iterator[Host]:
    handler = type("Handler", (_Handler,), {})
    server = _Server(("127.0.0.1", 0), handler)
    host = Host(f"http://127.0.0.1:{server.server_address[1]}")
    handler.host = host  # type: ignore[attr-defined]
    with running(server):
        yield host
