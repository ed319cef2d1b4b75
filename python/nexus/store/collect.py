"""Removes what nothing names: rows first, then bytes; docs/adr/0006-blobs-are-collected-row-first.md says why."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TypeVar

from sqlalchemy import text

from nexus.db.session import Database
from nexus.store import collection_runs as runs
from nexus.store.backend import StoredObject
from nexus.store.blobs import BlobStore
from nexus.store.collection_runs import Phase
from nexus.store.locks import CONTENT, advisory_lock
from nexus.store.pages import BlobState, pages
from nexus.store.rows import reference_condition

BUSY = "A backup or another collection is running. Try again when it has finished."
DELETE_BATCH = 20  # deleting one takes a bucket up to 50 ms, and a step ends between batches
LIST_BATCH = 1000
END = b"\xff" * 32
RECEIVING = timedelta(hours=1)  # a temporary file that nobody wrote to for so long has lost its writer
LOCK = text("""
    SELECT sha256 FROM blobs WHERE sha256 = ANY(:wanted) AND touched_at <= now() - make_interval(secs => :grace)
    ORDER BY sha256 FOR UPDATE SKIP LOCKED
""")
HOLD_KEY = text("INSERT INTO blobs (sha256, size) VALUES (:sha256, 0) ON CONFLICT DO NOTHING RETURNING 1")
WITH_ROW = text("SELECT sha256 FROM blobs WHERE sha256 = ANY(:listed)")
T = TypeVar("T")


@dataclass
class CollectionResult:
    blobs: int = 0  # rows that nothing named
    strays: int = 0  # objects without a row
    bytes: int = 0
    leftovers: int = 0  # temporary files

    def add(self, more: "CollectionResult") -> None:
        self.blobs += more.blobs
        self.strays += more.strays
        self.bytes += more.bytes
        self.leftovers += more.leftovers


@dataclass(frozen=True)
class CollectionBatch:
    """What was examined since the previous batch, up to `position` of the phase."""

    phase: Phase
    position: bytes
    removed: CollectionResult = field(default_factory=CollectionResult)


@dataclass(frozen=True)
class Collection:
    """`still_held`: raises once the lock on the store's content is lost; without that lock nothing is removed."""

    store: BlobStore
    grace: timedelta  # what was put or written within it is not removed
    still_held: Callable[[], None]
    dry_run: bool = False

    def batches(self, phase: Phase = "rows", position: bytes = b"") -> Iterator[CollectionBatch]:
        """Each removes a few blobs, so that a caller can stop between two and continue from there later."""
        if phase == "rows":
            yield from self._unreferenced(position)
            yield CollectionBatch("objects", b"")
            position = b""
        before = datetime.now(UTC) - self.grace
        yield from self._strays(position, before)
        if not self.dry_run:
            left = self.store.backend.remove_leftovers(min(before, datetime.now(UTC) - RECEIVING))
            yield CollectionBatch("objects", END, CollectionResult(leftovers=left))

    def _unreferenced(self, position: bytes) -> Iterator[CollectionBatch]:
        for page in pages(self.store.database, after=position, grace_seconds=self.grace.total_seconds()):
            for few in _batches((blob for blob in page if blob.is_old and not blob.is_referenced), DELETE_BATCH):
                removed = few if self.dry_run else remove_rows(self.store.database, few, self.grace)
                for blob in removed:
                    self._delete(blob.sha256)
                size = sum(blob.size for blob in removed)
                yield CollectionBatch("rows", few[-1].sha256, CollectionResult(blobs=len(removed), bytes=size))
            yield CollectionBatch("rows", page[-1].sha256)

    def _strays(self, position: bytes, before: datetime) -> Iterator[CollectionBatch]:
        for listed in _batches(self.store.backend.list(position), LIST_BATCH):
            for few in _batches(self._without_row([each for each in listed if each.modified <= before]), DELETE_BATCH):
                removed = [stray for stray in few if self._delete(stray.sha256)]
                size = sum(stray.size for stray in removed)
                yield CollectionBatch("objects", few[-1].sha256, CollectionResult(strays=len(removed), bytes=size))
            yield CollectionBatch("objects", listed[-1].sha256)

    def _without_row(self, listed: list[StoredObject]) -> list[StoredObject]:
        with self.store.database.transaction() as session:
            known = set(session.scalars(WITH_ROW, {"listed": [found.sha256 for found in listed]}))
        return [found for found in listed if found.sha256 not in known]

    def _delete(self, sha256: bytes) -> bool:
        self.still_held()
        return self.dry_run or delete_bytes(self.store, sha256)


def collect(store: BlobStore, *, grace: timedelta, dry_run: bool = False, wait_seconds: float = 0) -> CollectionResult:
    """All of it at once. `wait_seconds`: for others who work on the store, such as a worker's step."""
    store.verify()
    done = CollectionResult()
    with advisory_lock(store.database, CONTENT, wait_seconds=wait_seconds, refusal=BUSY) as still_held:
        started_at = datetime.now(UTC)
        for batch in Collection(store, grace, still_held, dry_run).batches():
            done.add(batch.removed)
    if not dry_run:
        with store.database.transaction() as session:
            runs.record(session, started_at, asdict(done))
    return done


def collect_some(store: BlobStore, *, every: timedelta, grace: timedelta, seconds: float) -> bool:
    """A step of the run that is not finished, or of a new one where one is due; True: it goes on.

    The lock is held for the step only, and what was removed is noted after each batch, so that any worker can take
    the next step, however this one ends.
    """
    store.verify()
    ends = time.monotonic() + seconds
    with advisory_lock(store.database, CONTENT, refusal=BUSY) as still_held:
        with store.database.transaction() as session:
            if not runs.is_due(session, every):  # another worker has just finished it
                return False
            run = runs.begin(session)
        for batch in Collection(store, grace, still_held).batches(run.phase, run.position):
            with store.database.transaction() as session:
                runs.note(session, run.id, batch.phase, batch.position, asdict(batch.removed))
            if batch.position != END and time.monotonic() >= ends:
                return True
        with store.database.transaction() as session:
            runs.finish(session, run.id)
    return False


def remove_rows(database: Database, blobs: list[BlobState], grace: timedelta) -> list[BlobState]:
    """Two statements: what was named while we waited for a row's lock is seen by the second one only."""
    with database.transaction() as session:
        wanted = {"wanted": [blob.sha256 for blob in blobs], "grace": grace.total_seconds()}
        locked = list(session.scalars(LOCK, wanted))
        referenced = reference_condition(session)
        delete = text(f"DELETE FROM blobs b WHERE sha256 = ANY(:locked) AND NOT {referenced} RETURNING sha256")  # noqa: S608
        removed = set(session.scalars(delete, {"locked": locked}))
    return [blob for blob in blobs if blob.sha256 in removed]


def delete_bytes(store: BlobStore, sha256: bytes) -> bool:
    """While the key of the row that is not there is held: a `put` of the same content waits, then finds no bytes.
    False: a `put` was quicker, and the bytes stay."""
    with store.database.engine.connect() as connection, connection.begin() as transaction:
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        held = connection.scalar(HOLD_KEY, {"sha256": sha256}) is not None
        if held:
            store.backend.delete(sha256)
        transaction.rollback()
    return held


def _batches(found: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(found)
    while batch := list(islice(source, size)):
        yield batch
