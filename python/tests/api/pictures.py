"""A site with pictures, real ones and others."""

import io
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from PIL import Image

from tests.loopback_server import LoopbackServer, QuietHandler, running


def picture(kind: str = "PNG", size: tuple[int, int] = (8, 8), colour: str = "red") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", size, colour).save(written, kind)
    return written.getvalue()


def noise() -> bytes:
    """A picture of about 11 KB."""
    written = io.BytesIO()
    Image.frombytes("RGB", (60, 60), os.urandom(60 * 60 * 3)).save(written, "PNG")
    return written.getvalue()


class Site:
    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, str, bytes]] = {}
        self.asked: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.hold = threading.Event()
        self.hold.set()
        self.url = ""

    def put(self, path: str, body: bytes, content_type: str = "image/png", status: int = 200) -> str:
        self.pages[path] = (status, content_type, body)
        return self.url + path


@contextmanager
def site() -> Iterator[Site]:
    here = Site()
    prefix = f"/{uuid4().hex}"  # a port is used again, and the proxy remembers addresses

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            path = self.path.removeprefix(prefix)
            here.asked[path] += 1
            here.headers.append({name.lower(): value for name, value in self.headers.items()})
            here.hold.wait(300)
            status, content_type, body = here.pages.get(path, (404, "text/plain", b"none"))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            if status in (301, 302):
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with running(LoopbackServer(("127.0.0.1", 0), Handler)) as server:
        here.url = f"http://127.0.0.1:{server.server_port}{prefix}"
        try:
            yield here
        finally:
            here.hold.set()
