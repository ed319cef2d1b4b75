"""Status changes as they happen."""

from typing import Any

from fastapi import Request, Response
from fastapi.sse import format_sse_event

from nexus.http.identity import CheckAgain, UserDep
from nexus.http.responses.event_stream import EventStream
from nexus.routes.routers import lenient_router
from nexus.schemas.errors import problems
from nexus.schemas.events import (
    EntryChanged,
    ExportsChanged,
    HighlightsChanged,
    ImportsChanged,
    ItemChanged,
    ItemRemoved,
    LibraryChanged,
    PositionChanged,
    ReadChanged,
    TagsChanged,
    TextChanged,
)
from nexus.services import events as domain
from nexus.services.library.positions import Position

router = lenient_router("/api", tag="library")

STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "A stream."}
}

Wire = (
    EntryChanged
    | ExportsChanged
    | HighlightsChanged
    | ImportsChanged
    | ItemChanged
    | ItemRemoved
    | LibraryChanged
    | PositionChanged
    | ReadChanged
    | TagsChanged
    | TextChanged
)
WIRE_TYPES: dict[type[domain.Event], type[Wire]] = {
    domain.EntryChanged: EntryChanged,
    domain.ExportsChanged: ExportsChanged,
    domain.HighlightsChanged: HighlightsChanged,
    domain.ImportsChanged: ImportsChanged,
    domain.ItemChanged: ItemChanged,
    domain.ItemRemoved: ItemRemoved,
    domain.LibraryChanged: LibraryChanged,
    Position: PositionChanged,
    domain.ReadChanged: ReadChanged,
    domain.TagsChanged: TagsChanged,
    domain.TextChanged: TextChanged,
}


@router.get("/events", response_class=Response, responses=STREAM | problems(401, 422, 429, 503))
async def events(request: Request, user: UserDep, check_again: CheckAgain) -> Response:
    """Server-sent events: `item` when one of the user's saves changed, `removed` when one is gone, `read` when
    something was marked as read or unread, `entry` when something was archived, starred, named, noted or tagged,
    `highlights` when highlights of a text came, went or changed, `tags` when a tag or a saved search is another or
    other entries have a tag, `position` when the user is elsewhere in a text or its audio, `text` when there is a new
    version of a text, `imports` and `exports` when one of these came, went or is further, `shelf` when an episode came,
    changed or went, or many entries were changed at once or back."""
    return EventStream(request.app.state.events, user, check_again, _encode)


def _encode(event: domain.Event) -> bytes:
    wire = WIRE_TYPES[type(event)].model_validate(event, from_attributes=True)
    return format_sse_event(event=wire.event_name, data_str=wire.model_dump_json())
