"""The kept audio of an episode."""

from typing import Any
from uuid import UUID

from fastapi import Request, Response

from nexus.http.dependencies import SessionDep, StoreDep
from nexus.http.identity import UserDep
from nexus.http.streaming.stored_file import StoredFileResponse
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.services.audio import AUDIO_TYPES, require_kept_audio
from nexus.services.media import get_media

router = api_router("/media", tag="media")

CONTENT: dict[str, Any] = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in sorted(AUDIO_TYPES)}
AUDIO: dict[int | str, dict[str, Any]] = {
    200: {"content": CONTENT, "description": "The whole file."},
    206: {"content": CONTENT, "description": "The bytes that `Range` asks for."},
    304: {"description": "It has not changed (`If-None-Match`)."},
}


@router.head("/{media_id:uuid}/audio", include_in_schema=False)
@router.get("/{media_id:uuid}/audio", response_class=Response, responses=AUDIO | problems(401, 404, 416, 422, 503))
def audio(media_id: UUID, request: Request, session: SessionDep, store: StoreDep, user: UserDep) -> Response:
    """The kept audio of an episode, as it was fetched: whole or one range of it (`Range`, `If-Range`). Where none is
    kept (`audio.kept` of the media is false), 404 `audio_not_kept`."""
    found = require_kept_audio(session, get_media(session, user, media_id).id)
    return StoredFileResponse(store, found, request.app.state.stopping)
