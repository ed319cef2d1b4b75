"""A response that fetches an image after the request's transaction, so that a slow site holds no connection."""

from uuid import UUID

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.errors import response_to
from nexus.services.images.cache import CachedPicture
from nexus.services.images.proxy import ImageProxy

NOT_MODIFIED = 304


class ImageResponse(Response):
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
            response = self._response(await self._proxy.get(self._url, self._width, owner=self._owner))
        except NexusError as error:
            response = response_to(error)
        await response(scope, receive, send)

    def _response(self, found: CachedPicture) -> Response:
        headers = {
            "ETag": found.etag,
            "Cache-Control": "private, max-age=86400",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        if _matches(self._if_none_match, found.etag):
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(found.picture.data, media_type=found.picture.content_type, headers=headers)


def _matches(if_none_match: str | None, etag: str) -> bool:
    """Weak comparison, as the standard requires for GET."""
    offered = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return "*" in offered or etag in offered
