"""A user's own status changes as they happen: one LISTEN per process, fanned out to every open stream.

A stream that may have missed something is ended: its client connects again and looks for itself.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import DatabaseUnavailableError, EmbeddedDatabaseError, TooManyStreamsError
from nexus.logging import get_logger
from nexus.schemas.events import ItemChanged, ItemRemoved, ReadChanged, ShelfChanged

log = get_logger(__name__)

CHANNEL = "nexus_status"
SHELF = "shelf"  # in place of the id of a save
READ = "read:"  # before the id of a media, in place of the id of a save
STREAMS_PER_USER = 16
WAITING_EVENTS = 256
POLL_SECONDS = 0.5  # how soon the listener notices that nobody is left
READY_SECONDS = 10
MAX_PAUSE_SECONDS = 5.0

CHANGED = text("""
    SELECT id AS item_id, media_id, user_id, status, status_detail, title, updated_at FROM items
    WHERE id = ANY(:item_ids) AND user_id = ANY(:user_ids) AND fetch_again_of IS NULL
""")

READ_MARKS = text("""
    SELECT libraries.owner_user_id AS user_id, library_media.media_id, max(library_media.read_at) AS read_at
    FROM library_media JOIN libraries ON libraries.id = library_media.library_id
    WHERE library_media.media_id = ANY(:media_ids) AND libraries.owner_user_id = ANY(:user_ids)
    GROUP BY libraries.owner_user_id, library_media.media_id
""")

Event = ItemChanged | ItemRemoved | ReadChanged | ShelfChanged


class Key(NamedTuple):
    """A user, and what of theirs changed: an item, the read mark of a media, or (neither) their shelf."""

    user_id: UUID
    item_id: UUID | None = None
    read_media_id: UUID | None = None


class Stream:
    """One client's events. Filled from the listener's thread, emptied on the client's event loop."""

    def __init__(self, user_id: UUID) -> None:
        self.user_id = user_id
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()

    def offer(self, event: Event) -> None:
        if self._events.qsize() >= WAITING_EVENTS:
            self.end()  # a client that does not read
        else:
            self._put(event)

    def end(self) -> None:
        self._put(None)

    def _put(self, event: Event | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def next(self, seconds: float) -> Event | None:
        """The next event; TimeoutError when there is none for so long, None when the stream is over."""
        async with asyncio.timeout(seconds):
            return await self._events.get()


class EventHub:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._streams: dict[UUID, set[Stream]] = defaultdict(set)
        self._listener: threading.Thread | None = None
        self._listening = threading.Event()
        self._closed = threading.Event()

    async def open(self, user_id: UUID) -> Stream:
        """A stream that misses nothing from now on."""
        stream = Stream(user_id)
        with self._lock:
            if len(self._streams[user_id]) >= STREAMS_PER_USER:
                raise TooManyStreamsError(f"More than {STREAMS_PER_USER} event streams are open; close a tab.")
            self._streams[user_id].add(stream)
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="nexus-events", daemon=True)
                self._listener.start()
        if not await asyncio.to_thread(self._listening.wait, READY_SECONDS) or self._closed.is_set():
            self.leave(stream)
            raise DatabaseUnavailableError("The database does not answer, so no events can be told; try again.")
        return stream

    def leave(self, stream: Stream) -> None:
        with self._lock:
            self._streams[stream.user_id].discard(stream)
            if not self._streams[stream.user_id]:
                del self._streams[stream.user_id]

    def close(self) -> None:
        """End every stream at once; the server is going."""
        self._closed.set()
        self._listening.set()  # whoever still waits to begin is told
        self._end_streams()

    def _end_streams(self) -> None:
        with self._lock:
            streams = [stream for of_user in self._streams.values() for stream in of_user]
        for stream in streams:
            stream.end()

    def _listen(self) -> None:
        pause = 0.1
        while not self._nobody_left():
            try:
                with self._database.connect_apart() as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._listening.set()
                    pause = 0.1
                    self._pass_on(connection)
            except (psycopg.Error, SQLAlchemyError, EmbeddedDatabaseError) as error:
                log.warning("no events from the database; trying again", reason=str(error).splitlines()[0])
                self._listening.clear()
                self._end_streams()  # what happens meanwhile, nobody tells us
                self._closed.wait(pause)
                pause = min(2 * pause, MAX_PAUSE_SECONDS)

    def _nobody_left(self) -> bool:
        """Whether the listener may go; if so, the next stream starts another."""
        with self._lock:
            if self._streams and not self._closed.is_set():
                return False
            self._listener = None
            if not self._closed.is_set():
                self._listening.clear()
            return True

    def _pass_on(self, connection: psycopg.Connection) -> None:
        while self._streams and not self._closed.is_set():
            heard = list(connection.notifies(timeout=POLL_SECONDS, stop_after=1))
            if heard:
                heard += connection.notifies(timeout=0)  # a batch of changes is one look at the table
                self._tell({notify.payload for notify in heard})
            else:
                connection.execute("SELECT 1")  # a connection that is only listened to never notices its end

    def _tell(self, payloads: Iterable[str]) -> None:
        with self._lock:
            open_streams = {user_id: tuple(streams) for user_id, streams in self._streams.items()}
        wanted = {key for key in map(_parse, payloads) if key and key.user_id in open_streams}
        if not wanted:
            return
        for user_id, event in self._events_of(wanted):
            for stream in open_streams[user_id]:
                stream.offer(event)

    def _events_of(self, wanted: set[Key]) -> Iterator[tuple[UUID, Event]]:
        items = [key.item_id for key in wanted if key.item_id]
        media = [key.read_media_id for key in wanted if key.read_media_id]
        values = {"user_ids": list({key.user_id for key in wanted}), "item_ids": items, "media_ids": media}
        with self._database.transaction() as session:
            rows = session.execute(CHANGED, values).all() if items else ()
            marks = session.execute(READ_MARKS, values).all() if media else ()
        found = {(row.user_id, row.item_id): row for row in rows}
        marked = {(mark.user_id, mark.media_id): mark for mark in marks}
        for user_id, item, read_media in wanted:
            if read_media:
                if mark := marked.get((user_id, read_media)):  # else it has left the library meanwhile
                    yield user_id, ReadChanged.model_validate(mark)
            elif item is None:
                yield user_id, ShelfChanged()
            elif row := found.get((user_id, item)):
                yield user_id, ItemChanged.model_validate(row)
            else:
                yield user_id, ItemRemoved(item_id=item)


def _parse(payload: str) -> Key | None:
    user, _, what = payload.partition(":")
    try:
        if what.startswith(READ):
            return Key(UUID(user), read_media_id=UUID(what.removeprefix(READ)))
        return Key(UUID(user), item_id=None if what == SHELF else UUID(what))
    except ValueError:
        log.warning("a notification that is not ours", channel=CHANNEL)
        return None


async def lines(stream: Stream, *, quiet_seconds: float) -> AsyncIterator[str | None]:
    """As server-sent events; None after each quiet spell, when the caller should say that it is still there."""
    yield "retry: 2000\n\n"
    while True:
        try:
            event = await stream.next(quiet_seconds)
        except TimeoutError:
            yield None
            continue
        if event is None:
            return
        yield f"event: {event.event_name}\ndata: {event.model_dump_json()}\n\n"
