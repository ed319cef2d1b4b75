"""Status changes as they happen."""

from typing import Any

from fastapi import APIRouter, Request, Response

from nexus.http.event_stream import EventStream
from nexus.http.identity import CheckAgain, UserDep
from nexus.schemas.errors import problems

router = APIRouter(prefix="/api", tags=["library"])

STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "A stream."}
}


@router.get("/events", response_class=Response, responses=STREAM | problems(401, 422, 429, 503))
async def events(request: Request, user: UserDep, check_again: CheckAgain) -> Response:
    """Server-sent events: `item` when one of the user's saves changed, `removed` when one is gone, `read` when
    something was marked as read or unread, `shelf` when an episode came, changed or went."""
    return EventStream(request.app.state.events, user, check_again)
