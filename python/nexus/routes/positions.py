"""Where a user is in a text and in its audio."""

from uuid import UUID

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.positions import NewPosition, Position
from nexus.services.library.positions import TextPosition, get_position, put_position

router = api_router("/api/library", tag="library")


@router.get("/{media_id}/position", responses=problems(401, 404, 422, 503))
def position(media_id: UUID, session: SessionDep, user: UserDep) -> Position:
    """Where the user stopped, on any of their devices, as a position in the current version of the text."""
    return Position.model_validate(get_position(session, user, media_id), from_attributes=True)


@router.put("/{media_id}/position", responses=problems(401, 403, 404, 409, 413, 422, 503))
def move_position(media_id: UUID, body: NewPosition, session: SessionDep, user: UserDep) -> Position:
    """Store where the user is now. For the text and for the audio, the position with the later time is
    kept; the response has it."""
    position = None
    if body.fragment_idx is not None and body.offset is not None and body.fraction is not None:
        position = TextPosition(body.fragment_idx, body.offset, body.fraction, body.version)
    found = put_position(
        session,
        user,
        media_id,
        position=position,
        audio_ms=body.audio_ms,
        client_time=body.client_time,
        device=body.device,
    )
    return Position.model_validate(found, from_attributes=True)
