"""Notifies users' open event streams of changes: one LISTEN connection per process, passed on to every stream.

A stream that may have missed a change is ended: its client connects again and reads the current state.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, cast, get_args
from uuid import UUID

from sqlalchemy import TextClause, text

from nexus.db.channels import STATUS
from nexus.db.listener import Listener
from nexus.db.session import Database
from nexus.errors import DatabaseUnavailableError, TooManyStreamsError
from nexus.logging import get_logger
from nexus.services.library.positions import Position, list_positions
from nexus.services.notifications import MediaChange, UserChange

log = get_logger(__name__)

MAX_STREAMS_PER_USER = 16
MAX_WAITING_EVENTS = 256
READY_SECONDS = 10

CHANGED_ITEMS = text("""
    SELECT user_id, id AS item_id, media_id, status, status_detail, title, updated_at FROM items
    WHERE id = ANY(:ids) AND user_id = ANY(:user_ids) AND fetch_again_of IS NULL
""")

READ_TIMES = text("""
    SELECT libraries.owner_user_id AS user_id, library_media.media_id, max(library_media.read_at) AS read_at
    FROM library_media JOIN libraries ON libraries.id = library_media.library_id
    WHERE library_media.media_id = ANY(:ids) AND libraries.owner_user_id = ANY(:user_ids)
    GROUP BY libraries.owner_user_id, library_media.media_id
""")

CURRENT_VERSIONS = text("""
    SELECT DISTINCT libraries.owner_user_id AS user_id, media.id AS media_id, media.current_version AS version
    FROM media JOIN library_media ON library_media.media_id = media.id
    JOIN libraries ON libraries.id = library_media.library_id
    WHERE media.id = ANY(:ids) AND libraries.owner_user_id = ANY(:user_ids)
""")


@dataclass(frozen=True)
class ItemChanged:
    item_id: UUID
    media_id: UUID
    status: str
    status_detail: str | None
    title: str | None
    updated_at: datetime


@dataclass(frozen=True)
class ItemRemoved:
    item_id: UUID


@dataclass(frozen=True)
class ReadChanged:
    media_id: UUID
    read_at: datetime | None


@dataclass(frozen=True)
class TextChanged:
    """Another version of a media's text is the current one now."""

    media_id: UUID
    version: int


@dataclass(frozen=True)
class EntryChanged:
    """The user archived, starred, named, noted or tagged a library entry."""

    media_id: UUID


@dataclass(frozen=True)
class HighlightsChanged:
    """Highlights of a text were added, removed or changed."""

    media_id: UUID


@dataclass(frozen=True)
class TagsChanged:
    """A tag or a saved search was added, removed or changed, or other entries have a tag."""


@dataclass(frozen=True)
class ImportsChanged:
    """An import was added, removed, or changed its state or progress."""


@dataclass(frozen=True)
class LibraryChanged:
    """A library entry without an item (an episode) was added, changed or removed, or many entries were changed at
    once, or that was undone."""


@dataclass(frozen=True)
class ExportsChanged:
    """An export or a schedule of exports was added, removed, or changed its state or progress."""


ChangedMedia = ReadChanged | TextChanged | EntryChanged | HighlightsChanged | Position
Event = ItemChanged | ItemRemoved | ChangedMedia | TagsChanged | LibraryChanged | ImportsChanged | ExportsChanged


ChangeKind = UserChange | MediaChange | Literal["item"]
EVENTS_WITHOUT_ID: Mapping[ChangeKind, Event] = {
    "shelf": LibraryChanged(),
    "tags": TagsChanged(),
    "imports": ImportsChanged(),
    "exports": ExportsChanged(),
}
# Each row begins with the user and the id.
EVENT_QUERIES: Mapping[ChangeKind, tuple[TextClause, type[ItemChanged | ReadChanged | TextChanged]]] = {
    "item": (CHANGED_ITEMS, ItemChanged),
    "read": (READ_TIMES, ReadChanged),
    "text": (CURRENT_VERSIONS, TextChanged),
}


class Change(NamedTuple):
    """A user, and what of theirs changed: an item or a media by its id, or all of something."""

    user_id: UUID
    what: ChangeKind
    id: UUID | None = None


class Stream:
    """One client's events. Filled from the listener's thread, emptied on the client's event loop."""

    def __init__(self, user_id: UUID) -> None:
        self.user_id = user_id
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()

    def offer(self, event: Event) -> None:
        if self._events.qsize() >= MAX_WAITING_EVENTS:
            self.end()  # the client does not read
        else:
            self._put(event)

    def end(self) -> None:
        self._put(None)

    def _put(self, event: Event | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def until_end(self) -> AsyncIterator[Event]:
        while (event := await self._events.get()) is not None:
            yield event


class EventHub:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._streams: dict[UUID, set[Stream]] = defaultdict(set)
        self._listener: Listener | None = None
        self._closed = False

    async def open(self, user_id: UUID) -> Stream:
        """A stream that misses nothing from now on."""
        stream = Stream(user_id)
        with self._lock:
            if len(self._streams[user_id]) >= MAX_STREAMS_PER_USER:
                raise TooManyStreamsError(f"More than {MAX_STREAMS_PER_USER} event streams are open; close a tab.")
            self._streams[user_id].add(stream)
            listener = self._listener or self._start_listener()
        if not await asyncio.to_thread(listener.wait_until_connected, READY_SECONDS):
            self.leave(stream)
            raise DatabaseUnavailableError("The database does not respond, so no events can be sent; try again.")
        return stream

    def leave(self, stream: Stream) -> None:
        with self._lock:
            self._streams[stream.user_id].discard(stream)
            if not self._streams[stream.user_id]:
                del self._streams[stream.user_id]

    def close(self) -> None:
        """End every stream at once, because the server stops."""
        with self._lock:
            self._closed = True
            if self._listener:
                self._listener.stop()
        self._end_streams()

    def _start_listener(self) -> Listener:
        self._listener = Listener(
            self._database,
            STATUS,
            on_notify=self._pass_on,
            on_lost=self._end_streams,  # what happens meanwhile is not notified
            is_needed=self._has_streams,
        )
        if self._closed:
            self._listener.stop()
        self._listener.start()
        return self._listener

    def _has_streams(self) -> bool:
        """If not, the listener ends, and the next stream starts another."""
        with self._lock:
            if not self._streams:
                self._listener = None
            return bool(self._streams)

    def _end_streams(self) -> None:
        with self._lock:
            streams = [stream for of_user in self._streams.values() for stream in of_user]
        for stream in streams:
            stream.end()

    def _pass_on(self, payloads: Iterable[str]) -> None:
        with self._lock:
            open_streams = {user_id: tuple(streams) for user_id, streams in self._streams.items()}
        changes = {change for change in map(_parse, payloads) if change and change.user_id in open_streams}
        if not changes:
            return
        for user_id, event in self._events_of(changes):
            for stream in open_streams[user_id]:
                stream.offer(event)

    def _events_of(self, changes: set[Change]) -> Iterator[tuple[UUID, Event]]:
        found = self._read(changes)
        for change in changes:
            if whole := EVENTS_WITHOUT_ID.get(change.what):
                yield change.user_id, whole
            elif change.what == "entry" and change.id:
                yield change.user_id, EntryChanged(change.id)
            elif change.what == "highlights" and change.id:
                yield change.user_id, HighlightsChanged(change.id)
            elif event := found.get(change):
                yield change.user_id, event
            elif change.what == "item" and change.id:
                yield change.user_id, ItemRemoved(change.id)
            # What else is not found has left the library meanwhile.

    def _read(self, changes: set[Change]) -> dict[Change, Event]:
        """What of the changes is to be looked up, most kinds in one statement each."""
        users = {"user_ids": list({change.user_id for change in changes})}
        found: dict[Change, Event] = {}
        with self._database.transaction() as session:
            for what, (statement, event) in EVENT_QUERIES.items():
                if ids := [change.id for change in changes if change.what == what]:
                    rows = session.execute(statement, users | {"ids": ids})
                    found |= {Change(row[0], what, row[1]): event(*row[1:]) for row in rows}
            for change in changes:
                if change.what == "position" and change.id:
                    found |= zip([change], list_positions(session, change.user_id, [change.id]), strict=False)
        return found


def _parse(payload: str) -> Change | None:
    user, _, what = payload.partition(":")
    name, _, media_id = what.partition(":")
    try:
        if name in get_args(MediaChange):
            return Change(UUID(user), cast("MediaChange", name), UUID(media_id))
        if what in get_args(UserChange):
            return Change(UUID(user), cast("UserChange", what))
        return Change(UUID(user), "item", UUID(what))
    except ValueError:
        log.warning("a notification that is not ours", channel=STATUS)
        return None
