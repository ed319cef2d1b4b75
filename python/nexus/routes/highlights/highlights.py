"""The highlights of a text: made, listed, changed, deleted, restored."""

from uuid import UUID

from fastapi import Response

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.routes.client_time import ClientTime
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.highlights.highlights import Highlight, HighlightChanges, NewHighlightBody
from nexus.schemas.media import Data
from nexus.services.highlights import changes
from nexus.services.highlights.text_highlights import list_of_text

router = api_router(tag="highlights")


@router.post(
    "/media/{media_id:uuid}/highlights", status_code=201, responses=problems(401, 403, 404, 409, 410, 413, 422, 503)
)
def create(media_id: UUID, body: NewHighlightBody, session: SessionDep, user: UserDep) -> Data[Highlight]:
    """Mark a passage, which may span fragments. A request with an existing `id` returns that highlight."""
    made = changes.create_highlight(session, user, media_id, body.as_new())
    return Data(data=Highlight.model_validate(made))


@router.get(
    "/media/{media_id:uuid}/highlights", summary="List Highlights of a Text", responses=problems(401, 404, 422, 503)
)
def list_(media_id: UUID, response: Response, session: SessionDep, user: UserDep) -> Data[list[Highlight]]:
    """The user's highlights in this text, in text order, orphaned ones included."""
    found_id, found = list_of_text(session, user, media_id)
    response.headers["Content-Location"] = f"/media/{found_id}/highlights"
    return Data(data=[Highlight.model_validate(each) for each in found])


@router.patch("/highlights/{highlight_id:uuid}", responses=problems(401, 403, 404, 409, 413, 422, 503))
def change(highlight_id: UUID, body: HighlightChanges, session: SessionDep, user: UserDep) -> Data[Highlight]:
    """Change a highlight's colour, note or tags, or attach it to another passage."""
    changed = changes.change_highlight(session, user, highlight_id, body.as_changes())
    return Data(data=Highlight.model_validate(changed))


@router.delete(
    "/highlights/{highlight_id:uuid}", status_code=204, responses=problems(401, 403, 404, 409, 413, 422, 503)
)
def delete(highlight_id: UUID, session: SessionDep, user: UserDep, client_time: ClientTime = None) -> None:
    """Delete a highlight. It can be restored for an hour."""
    changes.delete_highlight(session, user, highlight_id, client_time)


@router.post("/highlights/{highlight_id:uuid}/restore", responses=problems(401, 403, 404, 409, 410, 413, 422, 503))
def restore(highlight_id: UUID, session: SessionDep, user: UserDep) -> Data[Highlight]:
    """Restore a highlight that was deleted less than an hour ago."""
    return Data(data=Highlight.model_validate(changes.restore_highlight(session, user, highlight_id)))
