"""A web site on loopback that serves the pages a test puts on it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.loopback_server import LoopbackServer, QuietHandler, running

SENTENCE = "A link is a promise that somebody will still be there when you follow it, and most are broken in time. "


@dataclass(frozen=True)
class SiteResponse:
    body: str | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Site(LoopbackServer):
    def __init__(self) -> None:
        self.pages: dict[str, SiteResponse | Callable[[], SiteResponse]] = {}
        super().__init__(("127.0.0.1", 0), _Handler)

    def put(self, path: str, page: SiteResponse | Callable[[], SiteResponse]) -> str:
        self.pages[path] = page
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(QuietHandler):
    server: Site

    def do_GET(self) -> None:
        page = self.server.pages.get(urlsplit(self.path).path, SiteResponse("Nothing here", 404))
        response = page() if callable(page) else page
        body = response.body if isinstance(response.body, bytes) else response.body.encode()
        self.send_response(response.status)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        for name, value in (headers | response.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def site_server() -> Iterator[Site]:
    with running(Site()) as server:
        yield server


def article(title: str, *, extra: str = "", paragraphs: int = 8) -> SiteResponse:
    text = "".join(f"<p>{SENTENCE * 4}</p>" for _ in range(paragraphs))
    return SiteResponse(
        f"<!doctype html><html lang=en><head><title>{title}</title><meta name=author content='Ada Reader'>"
        f"<meta property='og:site_name' content='The Test Post'></head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{title}</h1>{text}{extra}</article><footer>Imprint</footer></body></html>"
    )
