"""A file from the store as a response: in ranges, so that a player can seek and a broken download can go on."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from itertools import chain
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import BlobDamagedError, NexusError, RangeNotSatisfiableError
from nexus.http.errors import response_to
from nexus.http.responses import etags
from nexus.http.streaming.byte_ranges import ByteRange, requested_range
from nexus.store import BlobStore

NOT_MODIFIED, PARTIAL = 304, 206


class StoredFile(Protocol):
    @property
    def sha256(self) -> bytes: ...

    @property
    def size(self) -> int: ...

    @property
    def content_type(self) -> str: ...


class StoredFileResponse(Response):
    """Reads the store after the request's transaction: listening for an hour holds no connection to the database."""

    def __init__(
        self,
        store: BlobStore,
        file: StoredFile,
        stopping: asyncio.Event,
        further_headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._store = store
        self._file = file
        self._stopping = stopping
        self._further_headers = dict(further_headers or {})
        self._etag = f'"{file.sha256.hex()}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await asyncio.to_thread(self._response, scope["method"], Headers(scope=scope))
        except NexusError as error:
            response = response_to(error)
            if isinstance(error, RangeNotSatisfiableError):
                response.headers["Content-Range"] = f"bytes */{self._file.size}"
        await self._until_shutdown(response(scope, receive, send))

    def _response(self, method: str, request: Headers) -> Response:
        headers = {
            "ETag": self._etag,
            "Accept-Ranges": "bytes",
            # Asked again each time: another user of this browser may not have the file.
            "Cache-Control": "private, no-cache",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        } | self._further_headers
        if etags.matches(request.get("if-none-match"), self._etag):
            return Response(status_code=NOT_MODIFIED, headers=headers)
        wanted = self._range(method, request)
        part = wanted or ByteRange(0, self._file.size)
        headers |= {"Content-Length": str(part.end - part.start)}
        if wanted:
            headers["Content-Range"] = wanted.header(self._file.size)
        status, kind = (PARTIAL if wanted else 200), self._file.content_type
        if method == "HEAD":
            return Response(status_code=status, headers=headers, media_type=kind)
        return StreamingResponse(self._read(part), status_code=status, headers=headers, media_type=kind)

    def _range(self, method: str, request: Headers) -> ByteRange | None:
        """Only of the version that the client knows, where it says which; of GET alone, as the standard says."""
        known = request.get("if-range")
        if method != "GET" or (known is not None and known.strip() != self._etag):
            return None
        return requested_range(request.get("range"), self._file.size)

    def _read(self, part: ByteRange) -> Iterator[bytes]:
        """Reads the first bytes before the response begins: a missing blob is an error, not a truncated response."""
        chunks = self._store.read_range(self._file.sha256, part.start, part.end)
        first = next(chunks, None)
        if first is None:
            raise BlobDamagedError("A stored file is damaged: it has fewer bytes than it should have.")
        return chain([first], chunks)

    async def _until_shutdown(self, sending: Coroutine[None, None, None]) -> None:
        """A player that is paused reads nothing for hours; a server that stops must not wait for it."""
        tasks = [asyncio.ensure_future(sending), asyncio.ensure_future(self._stopping.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done():
                tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
