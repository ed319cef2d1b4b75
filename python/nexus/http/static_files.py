"""Serves the viewer's built files. They are read once at the start, because they are few and do not change."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from nexus.http.context import SECURITY_HEADERS
from nexus.http.responses import etags

BUILT = Path(__file__).parents[1] / "viewer"
INDEX = "/index.html"
IMMUTABLE = "public, max-age=31536000, immutable"  # the names under /assets carry a hash of their content
REVALIDATE = "no-cache"
TYPES = {".webmanifest": "application/manifest+json", ".js": "text/javascript", ".woff2": "font/woff2"}
# Audio that is not kept here plays from its publisher, once play is pressed; redirects lead to hosts that nobody knows
# beforehand. Audio runs no script.
PAGE_POLICY = SECURITY_HEADERS["Content-Security-Policy"] + "; media-src 'self' https: http:"
Encoding = Literal["br", "gzip"]
SUFFIXES: dict[Encoding, str] = {"br": ".br", "gzip": ".gz"}


@dataclass(frozen=True)
class File:
    body: bytes
    compressed: dict[Encoding, bytes]
    media_type: str
    etag: str
    cache: str


def viewer_files(folder: Path = BUILT) -> dict[str, File]:
    """Every file by its path; empty when the viewer is not built."""
    found = {}
    for path in sorted(folder.rglob("*")) if (folder / "index.html").is_file() else []:
        if path.is_file() and path.suffix not in SUFFIXES.values():
            found[f"/{path.relative_to(folder).as_posix()}"] = _read(path, hashed=path.parent.name == "assets")
    return found


def _read(path: Path, *, hashed: bool) -> File:
    body = path.read_bytes()
    guessed = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    beside = {encoding: path.with_name(path.name + suffix) for encoding, suffix in SUFFIXES.items()}
    return File(
        body=body,
        compressed={
            encoding: compressed.read_bytes() for encoding, compressed in beside.items() if compressed.is_file()
        },
        media_type=f"{guessed}; charset=utf-8" if guessed.startswith("text/") else guessed,
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        cache=IMMUTABLE if hashed else REVALIDATE,
    )


class ViewerFiles:
    """Serves the viewer's paths; all others go to the API."""

    def __init__(self, app: ASGIApp, files: dict[str, File], api: FastAPI) -> None:
        self._app = app
        self._files = files
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        file = self._files.get(INDEX if scope["path"] == "/" else scope["path"])
        if file is None and self._is_page(scope["path"], headers):
            file = self._files[INDEX]
        response = self._app if file is None else _response(file, headers)
        await response(scope, receive, send)

    def _is_page(self, path: str, headers: Headers) -> bool:
        """Any path opened in a browser that the API does not have: the viewer's router handles it."""
        if "text/html" not in headers.get("accept", "") or path.startswith(("/api/", "/assets/")):
            return False
        return not any(route.path_regex.fullmatch(path) for route in iter_route_contexts(self._api.routes))


def _response(file: File, request: Headers) -> Response:
    # Per encoding: a cache must not use the body of another encoding for a 304.
    encoding = next((name for name in file.compressed if name in _accepted(request)), None)
    etag = f'{file.etag[:-1]}-{encoding}"' if encoding else file.etag
    headers = {"ETag": etag, "Cache-Control": file.cache, "Vary": "Accept-Encoding"}
    if file.media_type.startswith("text/html"):
        headers["Content-Security-Policy"] = PAGE_POLICY
    if etags.matches(request.get("if-none-match"), etag):
        return Response(status_code=304, headers=headers)
    if encoding:
        headers["Content-Encoding"] = encoding
    return Response(file.compressed[encoding] if encoding else file.body, headers=headers, media_type=file.media_type)


def _accepted(request: Headers) -> set[str]:
    offers = (part.strip().partition(";") for part in request.get("accept-encoding", "").split(","))
    return {name.strip() for name, _, weight in offers if weight.strip() not in {"q=0", "q=0.0"}}
