"""A user's own changes as they happen: one LISTEN per process, passed on to every open stream.

A stream that may have missed something is ended: its client connects again and reads the current state.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import text

from nexus.db.channels import STATUS
from nexus.db.listener import Listener
from nexus.db.session import Database
from nexus.errors import DatabaseUnavailableError, TooManyStreamsError
from nexus.logging import get_logger
from nexus.services.library.positions import Position, list_positions

log = get_logger(__name__)

LIBRARY = "shelf"  # a payload's second half: an item's id, this, TAGS, or one of the next five and the id of a media
TAGS = "tags"
READ = "read:"
POSITION = "position:"
TEXT = "text:"
ENTRY = "entry:"
HIGHLIGHTS = "highlights:"
OF_MEDIA = {
    READ: "read_media_id",
    POSITION: "position_media_id",
    TEXT: "text_media_id",
    ENTRY: "entry_media_id",
    HIGHLIGHTS: "highlights_media_id",
}
STREAMS_PER_USER = 16
MAX_WAITING_EVENTS = 256
READY_SECONDS = 10

CHANGED_ITEMS = text("""
    SELECT user_id, id AS item_id, media_id, status, status_detail, title, updated_at FROM items
    WHERE id = ANY(:item_ids) AND user_id = ANY(:user_ids) AND fetch_again_of IS NULL
""")

READ_TIMES = text("""
    SELECT libraries.owner_user_id AS user_id, library_media.media_id, max(library_media.read_at) AS read_at
    FROM library_media JOIN libraries ON libraries.id = library_media.library_id
    WHERE library_media.media_id = ANY(:media_ids) AND libraries.owner_user_id = ANY(:user_ids)
    GROUP BY libraries.owner_user_id, library_media.media_id
""")

CURRENT_VERSIONS = text("""
    SELECT DISTINCT libraries.owner_user_id AS user_id, media.id AS media_id, media.current_version AS version
    FROM media JOIN library_media ON library_media.media_id = media.id
    JOIN libraries ON libraries.id = library_media.library_id
    WHERE media.id = ANY(:media_ids) AND libraries.owner_user_id = ANY(:user_ids)
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
    """The user archived, starred, named or noted a library entry."""

    media_id: UUID


@dataclass(frozen=True)
class HighlightsChanged:
    """Highlights of a text came, went or changed."""

    media_id: UUID


@dataclass(frozen=True)
class TagsChanged:
    """A tag came, went, was renamed, or other entries have it."""


@dataclass(frozen=True)
class LibraryChanged:
    """A library entry without an item came, changed or went: an episode."""


OfMedia = ReadChanged | TextChanged | EntryChanged | HighlightsChanged | Position
Event = ItemChanged | ItemRemoved | OfMedia | TagsChanged | LibraryChanged


class Change(NamedTuple):
    """A user, and what of theirs changed: an item, whether a media is read, where they are in it, its text, its entry,
    its highlights, their tags, or (none) their library."""

    user_id: UUID
    item_id: UUID | None = None
    read_media_id: UUID | None = None
    text_media_id: UUID | None = None
    position_media_id: UUID | None = None
    entry_media_id: UUID | None = None
    highlights_media_id: UUID | None = None
    of_tags: bool = False

    @classmethod
    def of_media(cls, user_id: UUID, name: str, media_id: UUID) -> "Change":
        names: dict[str, Any] = {name: media_id}
        return cls(user_id, **names)


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

    async def next(self, seconds: float) -> Event | None:
        """None when the stream has ended; TimeoutError when nothing came within `seconds`."""
        async with asyncio.timeout(seconds):
            return await self._events.get()


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
            if len(self._streams[user_id]) >= STREAMS_PER_USER:
                raise TooManyStreamsError(f"More than {STREAMS_PER_USER} event streams are open; close a tab.")
            self._streams[user_id].add(stream)
            listener = self._listener or self._start_listener()
        if not await asyncio.to_thread(listener.wait_until_connected, READY_SECONDS):
            self.leave(stream)
            raise DatabaseUnavailableError("The database does not answer, so no events can be sent; try again.")
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
        items = [change.item_id for change in changes if change.item_id]
        read_media = [change.read_media_id for change in changes if change.read_media_id]
        text_media = [change.text_media_id for change in changes if change.text_media_id]
        users = {"user_ids": list({change.user_id for change in changes})}
        with self._database.transaction() as session:
            rows = session.execute(CHANGED_ITEMS, users | {"item_ids": items}).all() if items else ()
            times = session.execute(READ_TIMES, users | {"media_ids": read_media}).all() if read_media else ()
            current = session.execute(CURRENT_VERSIONS, users | {"media_ids": text_media}).all() if text_media else ()
            positions = {
                (change.user_id, change.position_media_id): list_positions(
                    session, change.user_id, [change.position_media_id]
                )
                for change in changes
                if change.position_media_id
            }
        changed = {(row.user_id, row.item_id): ItemChanged(*row[1:]) for row in rows}
        read = {(row.user_id, row.media_id): ReadChanged(*row[1:]) for row in times}
        texts = {(row.user_id, row.media_id): TextChanged(*row[1:]) for row in current}
        for (user_id, _), found in positions.items():
            yield from ((user_id, position) for position in found)
        for change in changes - {each for each in changes if each.position_media_id}:
            user_id, item_id = change.user_id, change.item_id
            if change.of_tags:
                yield user_id, TagsChanged()
            elif change.entry_media_id:
                yield user_id, EntryChanged(change.entry_media_id)
            elif change.highlights_media_id:
                yield user_id, HighlightsChanged(change.highlights_media_id)
            elif media_id := change.read_media_id or change.text_media_id:
                event = read.get((user_id, media_id)) if change.read_media_id else texts.get((user_id, media_id))
                if event:  # else it has left the library meanwhile
                    yield user_id, event
            elif item_id is None:
                yield user_id, LibraryChanged()
            else:
                yield user_id, changed.get((user_id, item_id)) or ItemRemoved(item_id)


def _parse(payload: str) -> Change | None:
    user, _, what = payload.partition(":")
    try:
        for begins, name in OF_MEDIA.items():
            if what.startswith(begins):
                return Change.of_media(UUID(user), name, UUID(what.removeprefix(begins)))
        if what == TAGS:
            return Change(UUID(user), of_tags=True)
        return Change(UUID(user), item_id=None if what == LIBRARY else UUID(what))
    except ValueError:
        log.warning("a notification that is not ours", channel=STATUS)
        return None
