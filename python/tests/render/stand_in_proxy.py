"""Until the real one is there: lets exactly the named ports of this machine through."""

import base64
import http.client
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from nexus.services.node_ingest import Proxy


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allowed: set[tuple[str, int]]
    credential: str


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def ok(self, host: str | None, port: int | None) -> bool:
        if self.headers.get("Proxy-Authorization") != self.server.credential:
            self.send_response(407)
            self.send_header("Proxy-Authenticate", "Basic realm=x")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False
        if (host, port) not in self.server.allowed:
            self.send_response(403)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False
        return True

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        if not self.ok(target.hostname, target.port) or target.hostname is None:
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(target.hostname, target.port)
        path = target.path + (f"?{target.query}" if target.query else "")
        headers = {k: v for k, v in self.headers.items() if not k.lower().startswith("proxy-")}
        connection.request(self.command, path or "/", body or None, headers)
        answer = connection.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"transfer-encoding", "connection"}:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        while chunk := answer.read1(65536):
            self.wfile.write(chunk)
            self.wfile.flush()
        self.close_connection = True
        connection.close()

    def do_POST(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        host, _, port = self.path.rpartition(":")
        if not self.ok(host, int(port)):
            return
        self.send_response(502)
        self.end_headers()

    def log_message(self, *args: object) -> None: ...


@contextmanager
def stand_in(*ports: int) -> Iterator[Proxy]:
    password = secrets.token_hex()
    server = Server(("127.0.0.1", 0), Handler)
    server.allowed = {("127.0.0.1", port) for port in ports}
    server.credential = "Basic " + base64.b64encode(f"nexus:{password}".encode()).decode()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Proxy(f"http://127.0.0.1:{server.server_port}", "nexus", password)
    server.shutdown()
    server.server_close()
    thread.join()
