"""Status changes as they happen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Request, Response
from fastapi.sse import format_sse_event

from nexus.http.identity import RevalidateDep, UserDep
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
from nexus.services.users import CurrentUser

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
async def events(request: Request, user: UserDep, revalidate: RevalidateDep) -> Response:
    """Server-sent events about the user's own library:

    - `item`: an item changed
    - `removed`: an item was removed
    - `read`: an entry was marked as read or unread
    - `entry`: an entry was archived, starred or tagged, or got another title or note
    - `highlights`: highlights of a text were created, changed or deleted
    - `tags`: a tag or saved search was created, changed or deleted, or entries were tagged or untagged
    - `position`: the user moved on in a text or its audio
    - `text`: a text has a new current version
    - `imports`, `exports`: one was created, removed or made progress
    - `shelf`: an episode was added, changed or removed, or a bulk change was made or undone"""
    state = request.app.state
    return EventStream(_events_of(state.events, user), revalidate, state.stopping)


@asynccontextmanager
async def _events_of(hub: domain.EventHub, user: CurrentUser) -> AsyncIterator[AsyncIterator[bytes]]:
    stream = await hub.open(user.user_id)
    try:
        yield (_encode(event) async for event in stream.until_end())
    finally:
        hub.leave(stream)


def _encode(event: domain.Event) -> bytes:
    wire = WIRE_TYPES[type(event)].model_validate(event, from_attributes=True)
    return format_sse_event(event=wire.event_name, data_str=wire.model_dump_json())
