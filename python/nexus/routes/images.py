"""The image proxy. Included before the media routes, whose /media/{id} would match its path."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response

from nexus.http.identity import SessionDep, UserDep
from nexus.http.images import ImageResponse
from nexus.schemas.errors import problems
from nexus.services.images.picture import SHOWN
from nexus.services.images.shown import require_shown

router = APIRouter(prefix="/media", tags=["media"])

# Few, so that no client fills the cache with copies of one picture. As text, as they are in a query.
Width = Literal["160", "320", "640"]

PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {} for kind in SHOWN.values()}, "description": "The picture."},
    304: {"description": "The picture has not changed."},
}


@router.get("/image", response_class=Response, responses=PICTURE | problems(401, 404, 413, 415, 422, 502, 503, 504))
def image(
    url: Annotated[str, Query(min_length=1, max_length=4096, description="Its address, as a text of yours has it.")],
    request: Request,
    session: SessionDep,
    user: UserDep,
    w: Annotated[Width | None, Query(description="A smaller copy, at most this many pixels wide.")] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """A picture that a text or a card of yours shows; any other is not found."""
    require_shown(session, user, url)
    width = int(w) if w else None
    return ImageResponse(request.app.state.images, url, width, if_none_match, owner=user.user_id)
