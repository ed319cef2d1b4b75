"""Responses that send a picture after the request's transaction, so that a slow site or store holds no connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError, StoreError
from nexus.http.errors import response_to
from nexus.http.responses import etags
from nexus.services.pictures.cache import CachedPicture, etag_of
from nexus.services.pictures.picture import is_small
from nexus.services.pictures.proxy import PictureProxy
from nexus.services.pictures.shown_pictures import KeptPicture, ShownPicture
from nexus.store import BlobStore

NOT_MODIFIED = 304
# The proxy's copy may differ from what is kept later; a kept picture never changes.
FROM_SITE = "private, max-age=86400"
FROM_STORE = "private, max-age=2592000"


@dataclass(frozen=True)
class PictureRequest:
    width: int | None
    if_none_match: str | None
    owner: UUID


class PictureResponse(Response):
    def __init__(self, proxy: PictureProxy, store: BlobStore, shown: ShownPicture, request: PictureRequest) -> None:
        super().__init__()
        self._proxy = proxy
        self._store = store
        self._shown = shown
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await (self._serve_kept(self._shown.kept) if self._shown.kept else self._from_site())
        except NexusError as error:
            response = response_to(error)
        await response(scope, receive, send)

    async def _serve_kept(self, kept: KeptPicture) -> Response:
        try:
            return await self._from_store(kept)
        except StoreError as error:
            # The site may still have it. The store has logged what is wrong, an absence once in ten minutes.
            try:
                return await self._from_site()
            except NexusError:
                raise error from None

    async def _from_store(self, kept: KeptPicture) -> Response:
        width = self._request.width
        if width and not is_small(kept.width, kept.size, width):
            copy = await self._proxy.shrink(
                kept.sha256, lambda: self._store.read_bytes(kept.sha256), width, owner=self._request.owner
            )
            return self._whole(copy, FROM_STORE)
        headers = _headers(etag_of(kept.sha256), FROM_STORE)
        if etags.matches(self._request.if_none_match, headers["ETag"]):
            return Response(status_code=NOT_MODIFIED, headers=headers)
        chunks = await asyncio.to_thread(self._store.read, kept.sha256)
        # Read before the headers are sent: most pictures are one chunk, whose hash is then checked.
        first = await asyncio.to_thread(next, chunks, b"")
        headers["Content-Length"] = str(kept.size)
        return StreamingResponse(_stream(first, chunks), media_type=kept.content_type, headers=headers)

    async def _from_site(self) -> Response:
        found = await self._proxy.get(self._shown.url, self._request.width, owner=self._request.owner)
        return self._whole(found, FROM_SITE)

    def _whole(self, found: CachedPicture, cache_control: str) -> Response:
        headers = _headers(found.etag, cache_control)
        if etags.matches(self._request.if_none_match, found.etag):
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(found.picture.data, media_type=found.picture.content_type, headers=headers)


def _headers(etag: str, cache_control: str) -> dict[str, str]:
    return {
        "ETag": etag,
        "Cache-Control": cache_control,
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }


async def _stream(first: bytes, chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """A damaged blob raises before its last chunk: the response stays shorter than it said, and no browser keeps it."""
    chunk = first
    while chunk:
        yield chunk
        chunk = await asyncio.to_thread(next, chunks, b"")
