"""A web site on loopback with pages of every kind people save."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SENTENCE = "A link is a promise that somebody will still be there when you follow it, and most are broken in time. "


@dataclass(frozen=True)
class Answer:
    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Site(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.pages: dict[str, Answer | Callable[[], Answer]] = {}
        self._breath = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)

    def idle(self) -> None:
        """A breath for a page that keeps its visitor waiting."""
        self._breath.wait(0.05)

    def put(self, path: str, page: Answer | Callable[[], Answer]) -> str:
        self.pages[path] = page
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        page = self.server.pages.get(urlsplit(self.path).path, Answer("Nothing here", 404))
        answer = page() if callable(page) else page
        body = answer.body.encode()
        self.send_response(answer.status)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        for name, value in (headers | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Requests are what the tests are about, not news."""


@contextmanager
def site_server() -> Iterator[Site]:
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def article(title: str, *, extra: str = "", paragraphs: int = 8) -> Answer:
    text = "".join(f"<p>{SENTENCE * 4}</p>" for _ in range(paragraphs))
    return Answer(
        f"<!doctype html><html lang=en><head><title>{title}</title><meta name=author content='Ada Reader'>"
        f"<meta property='og:site_name' content='The Test Post'></head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{title}</h1>{text}{extra}</article><footer>Imprint</footer></body></html>"
    )
