"""A response that builds a file after the request's transaction, and stops when its client is gone."""

import asyncio
from threading import Event

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.errors import response_to
from nexus.services.exports.builder import Built, DownloadBuilder, Format
from nexus.services.exports.selection import Selection
from nexus.services.originals.attachment import attachment_headers
from nexus.services.users import CurrentUser

CHUNK = 256 * 1024
TYPES = {"html": "text/html; charset=utf-8", "epub": "application/epub+zip"}


class DownloadResponse(Response):
    def __init__(self, builder: DownloadBuilder, user: CurrentUser, selection: Selection, kind: Format) -> None:
        super().__init__()
        self._builder = builder
        self._user = user
        self._selection = selection
        self._kind: Format = kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stopped = Event()
        building = asyncio.ensure_future(self._builder.build(self._user, self._selection, self._kind, stopped))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait([building, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not building.done():
                return
            built = building.result()
        except NexusError as error:
            await response_to(error)(scope, receive, send)
            return
        finally:
            stopped.set()
            leaving.cancel()
            building.cancel()
        with built.file:
            await self._send(built, send)

    async def _send(self, built: Built, send: Send) -> None:
        self.headers.update(attachment_headers(built.title, f".{self._kind}"))
        self.headers.update(
            {
                "Content-Type": TYPES[self._kind],
                "Content-Length": str(built.size),
                "Cache-Control": "private, no-store",
            }
        )
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        while chunk := await run_in_threadpool(built.file.read, CHUNK):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
