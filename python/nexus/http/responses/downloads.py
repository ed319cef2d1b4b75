"""A response that builds a file after the request's transaction, and stops when its client is gone."""

import asyncio
from threading import Event

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.errors import response_to
from nexus.http.responses.attachment import attachment_headers
from nexus.logging import get_logger
from nexus.services.downloads.builder import BuiltDownload, DownloadBuilder, Format
from nexus.services.downloads.epub_file import opening
from nexus.services.downloads.html_file import OPENING
from nexus.services.downloads.progress import FileProgress
from nexus.services.downloads.selection import Selection
from nexus.services.users import CurrentUser

log = get_logger(__name__)

CHUNK_BYTES = 256 * 1024
# A file that is built sooner has its length and, if something is wrong, a status that says so. One that takes longer
# begins to be sent: proxies end a connection on which nothing comes for a minute.
START_SECONDS = 5.0
KEEPALIVE_SECONDS = 5.0
# What every such file begins with, and what may be sent after it to keep the connection alive while the rest is built.
# HTML may be padded with line feeds. An EPUB is a ZIP file, which may not: its last known bytes are held back and sent
# one at a time, which is enough for 20 minutes.
OPENINGS = {"html": (OPENING.encode(), b"\n"), "epub": (opening(), b"")}
KEEPALIVE_BYTES = {"html": 0, "epub": 240}
TYPES = {"html": "text/html; charset=utf-8", "epub": "application/epub+zip"}


class DownloadResponse(Response):
    def __init__(self, builder: DownloadBuilder, user: CurrentUser, selection: Selection, kind: Format) -> None:
        super().__init__()
        self._builder = builder
        self._user = user
        self._selection = selection
        self._kind: Format = kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stopped, progress = Event(), FileProgress()
        build = self._builder.build(self._user, self._selection, self._kind, stopped, progress)
        building = asyncio.ensure_future(build)
        leaving = asyncio.ensure_future(_disconnected(receive))
        # A client of HTTP/1.0 takes a file without a length for whole, wherever the connection ends.
        start_timeout = None if scope.get("http_version") == "1.0" else START_SECONDS
        try:
            await asyncio.wait([building, leaving], timeout=start_timeout, return_when=asyncio.FIRST_COMPLETED)
            if building.done():
                built = building.result()
                with built.file:
                    await self._send_built(built, send)
            elif not leaving.done():
                await self._send_while_built(building, leaving, progress, send)
        except NexusError as error:
            await response_to(error)(scope, receive, send)
        finally:
            stopped.set()
            leaving.cancel()
            building.cancel()
            progress.close()

    async def _send_built(self, built: BuiltDownload, send: Send) -> None:
        await self._start(send, built.title, {"Content-Length": str(built.size)})
        await _send_file(built, send)

    async def _send_while_built(
        self, building: asyncio.Task[BuiltDownload], leaving: asyncio.Task[None], progress: FileProgress, send: Send
    ) -> None:
        """Sends no length. An error ends the connection before the last chunk: the client sees an incomplete file."""
        await self._start(send, self._selection.title, {})
        (start, filler), held_back, sent = OPENINGS[self._kind], KEEPALIVE_BYTES[self._kind], 0
        while not (building.done() or leaving.done()):
            known = await run_in_threadpool(progress.read, sent, CHUNK_BYTES) or start[sent:]
            if chunk := known[: max(0, len(known) - held_back)]:
                await _send_chunk(send, chunk)
                sent += len(chunk)
                continue
            await _send_chunk(send, known[:1] or filler)
            sent += len(known[:1])
            await asyncio.wait([building, leaving], timeout=KEEPALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not building.done():
            return
        try:
            built = building.result()
        except NexusError as error:
            log.warning("a download was interrupted", reason=error.message)
            return
        with built.file:
            built.file.seek(sent)
            await _send_file(built, send)

    async def _start(self, send: Send, title: str, headers: dict[str, str]) -> None:
        self.headers.update(attachment_headers(title, f".{self._kind}"))
        self.headers.update({"Content-Type": TYPES[self._kind], "Cache-Control": "private, no-store"} | headers)
        if not headers:
            del self.headers["Content-Length"]
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})


async def _send_file(built: BuiltDownload, send: Send) -> None:
    while chunk := await run_in_threadpool(built.file.read, CHUNK_BYTES):
        await _send_chunk(send, chunk)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_chunk(send: Send, chunk: bytes) -> None:
    if chunk:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
