"""A picture as an answer: fetched after the request's transaction is over, so that no slow site holds a connection."""

from uuid import UUID

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.errors import response_to
from nexus.services.images.cache import CachedPicture
from nexus.services.images.proxy import ImageProxy

NOT_MODIFIED = 304


class PictureResponse(Response):
    def __init__(
        self, proxy: ImageProxy, url: str, width: int | None, if_none_match: str | None, *, owner: UUID
    ) -> None:
        super().__init__()
        self._proxy = proxy
        self._url = url
        self._width = width
        self._owner = owner
        self._if_none_match = if_none_match

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = self._answer(await self._proxy.get(self._url, self._width, owner=self._owner))
        except NexusError as error:
            answer = response_to(error)
        await answer(scope, receive, send)

    def _answer(self, found: CachedPicture) -> Response:
        headers = {
            "ETag": found.etag,
            "Cache-Control": "private, max-age=86400",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        if _knows(self._if_none_match, found.etag):
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(found.picture.data, media_type=found.picture.content_type, headers=headers)


def _knows(if_none_match: str | None, etag: str) -> bool:
    """Weak comparison, as the standard wants it for GET."""
    offered = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return "*" in offered or etag in offered
