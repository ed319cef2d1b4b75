"""What a text was read from, as a file to keep."""

import asyncio
from itertools import chain
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.dependencies import SessionDep
from nexus.http.errors import response_to
from nexus.http.identity import UserDep
from nexus.http.responses.attachment import attachment_headers
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.services.originals.download import FoundOriginal, find_original
from nexus.store import BlobStore
from nexus.text.originals.original_file import OriginalFacts, unpack

router = api_router("/media", tag="media")

# By the format of a transcript; everything else is a page.
SUFFIXES = {"vtt": ".vtt", "srt": ".srt", "json": ".json", "plain": ".txt"}
TYPES = {
    ".vtt": "text/vtt",
    ".srt": "application/x-subrip",
    ".json": "application/json",
    ".txt": "text/plain",
    ".html": "text/html",
}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {} for kind in TYPES.values()}, "description": "The page or the transcript, to be saved."}
}
MAX_VERSION = 2**31 - 1


@router.get("/{media_id:uuid}/original", response_class=Response, responses=FILE | problems(401, 404, 422, 500, 503))
def original(
    media_id: UUID,
    request: Request,
    session: SessionDep,
    user: UserDep,
    version: Annotated[
        int | None,
        Query(ge=1, le=MAX_VERSION, description="The version whose original is requested; left out: the current one."),
    ] = None,
) -> Response:
    """The page or the transcript from which a text was read, unchanged. Sent as an attachment, so that no browser shows
    it as a page of this server."""
    found = find_original(session, user, media_id, version)
    return OriginalResponse(request.app.state.store, found)


class OriginalResponse(Response):
    """Reads the original after the request's transaction, in chunks."""

    def __init__(self, store: BlobStore, found: FoundOriginal) -> None:
        super().__init__()
        self._store = store
        self._found = found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await asyncio.to_thread(self._response)
        except NexusError as error:
            response = response_to(error)
        await response(scope, receive, send)

    def _response(self) -> Response:
        """After the first chunks were read, so that a blob that is missing is an error and not an empty file."""
        found = self._found
        facts, chunks = unpack(self._store.read(found.sha256) if found.sha256 else [found.content or b""])
        first = next(chunks, b"")
        suffix = SUFFIXES.get(facts.format or "", ".html")
        # Without a length: the file is decompressed as it is sent. When that fails, the connection is closed.
        body = chain([_mark(facts), first], chunks)
        return StreamingResponse(
            body,
            headers=attachment_headers(found.title, suffix) | {"Content-Type": TYPES[suffix]},
        )


def _mark(facts: OriginalFacts) -> bytes:
    """What a browser rendered is UTF-8 now, whatever the page itself still says."""
    return BYTE_ORDER_MARK if facts.how == "rendered" else b""
