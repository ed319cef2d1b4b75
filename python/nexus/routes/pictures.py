"""Pictures. Included before the media routes, whose /media/{id} would match the path of a picture."""

from typing import Annotated, Any, Literal
from urllib.parse import quote
from uuid import UUID

from fastapi import Header, Query, Request, Response

from nexus.http.dependencies import SessionDep, StoreDep
from nexus.http.identity import UserDep
from nexus.http.responses.pictures import PictureRequest, PictureResponse
from nexus.routes.routers import lenient_router
from nexus.schemas.errors import problems
from nexus.schemas.media import Data
from nexus.schemas.pictures import Picture
from nexus.services.media import get_media
from nexus.services.pictures.picture import SHOWN
from nexus.services.pictures.shown_pictures import ShownPicture, find_shown, pictures_of
from nexus.text.picture_source import PICTURE_PROXY

router = lenient_router("/media", tag="media")

# Few, so that no client fills the cache with copies of one picture. As text, as they are in a query.
Width = Literal["160", "320", "640"]

PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {} for kind in SHOWN.values()}, "description": "The picture."},
    304: {"description": "The picture has not changed."},
}


@router.get("/image", response_class=Response, responses=PICTURE | problems(401, 404, 413, 415, 422, 502, 503, 504))
def image(
    url: Annotated[
        str, Query(min_length=1, max_length=4096, description="The picture's address, as it is in the text.")
    ],
    request: Request,
    session: SessionDep,
    store: StoreDep,
    user: UserDep,
    w: Annotated[Width | None, Query(description="A smaller copy, at most this many pixels wide.")] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """A picture that a text or a card of the user shows; any other is not found.

    From the store once it is kept, else from its site. One that is gone or was refused is 404 too, with a code that
    says so.
    """
    shown = find_shown(session, user, url)
    wanted = PictureRequest(int(w) if w else None, if_none_match, user.user_id)
    return PictureResponse(request.app.state.pictures, store, shown, wanted)


@router.get("/{media_id:uuid}/pictures", responses=problems(401, 404, 422, 503))
def pictures(media_id: UUID, response: Response, session: SessionDep, user: UserDep) -> Data[list[Picture]]:
    """The pictures of a media's card, text (all versions) and chapters, and whether each is kept."""
    details = get_media(session, user, media_id)
    response.headers["Content-Location"] = f"/media/{details.id}/pictures"
    return Data(data=[_to_wire(shown) for shown in pictures_of(session, user, details.id)])


def _to_wire(shown: ShownPicture) -> Picture:
    kept = shown.kept
    return Picture(
        path=PICTURE_PROXY + quote(shown.url, safe=""),
        url=shown.url,
        state=shown.state,
        reason=shown.reason,
        content_type=kept.content_type if kept else None,
        width=kept.width if kept else None,
        height=kept.height if kept else None,
        size=kept.size if kept else None,
    )
