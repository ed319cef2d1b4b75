"""Removes what nothing names: rows first, then bytes; docs/adr/0006-blobs-are-collected-row-first.md says why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from sqlalchemy import text

from nexus.db.session import Database
from nexus.store.backend import StoredObject
from nexus.store.blobs import BlobStore
from nexus.store.locks import CONTENT, holding
from nexus.store.pages import BlobState, pages
from nexus.store.rows import named_by

BUSY = "A backup or another collection is at work on the store. Try again when it has ended."
RECEIVING = timedelta(hours=1)  # a temporary file that nobody wrote to for so long has lost its writer
LOCK = text("""
    SELECT sha256 FROM blobs WHERE sha256 = ANY(:wanted) AND touched_at <= now() - make_interval(secs => :grace)
    ORDER BY sha256 FOR UPDATE SKIP LOCKED
""")
HOLD_KEY = text("INSERT INTO blobs (sha256, size) VALUES (:sha256, 0) ON CONFLICT DO NOTHING RETURNING 1")
KNOWN = text("SELECT sha256 FROM blobs WHERE sha256 = ANY(:listed)")


@dataclass
class Collected:
    blobs: int = 0  # rows that nothing named
    strays: int = 0  # objects without a row
    bytes: int = 0
    leftovers: int = 0  # temporary files


def collect(store: BlobStore, *, grace: timedelta, dry_run: bool = False) -> Collected:
    """Of what was put, or written, longer ago than `grace`."""
    store.verify()
    done = Collected()
    with holding(store.database, CONTENT, refusal=BUSY) as still_held:
        for page in pages(store.database, grace_seconds=grace.total_seconds()):
            unnamed = [blob for blob in page if blob.is_old and not blob.is_named]
            removed = unnamed if dry_run else remove_rows(store.database, unnamed, grace)
            for blob in removed:
                still_held()
                if not dry_run:
                    delete_bytes(store, blob.sha256)
            done.blobs += len(removed)
            done.bytes += sum(blob.size for blob in removed)
        before = datetime.now(UTC) - grace
        for stray in _strays(store, before):
            still_held()
            if dry_run or delete_bytes(store, stray.sha256):
                done.strays += 1
                done.bytes += stray.size
        done.leftovers = 0 if dry_run else store.backend.remove_leftovers(min(before, datetime.now(UTC) - RECEIVING))
    return done


def remove_rows(database: Database, blobs: list[BlobState], grace: timedelta) -> list[BlobState]:
    """Two statements: what was named while we waited for a row's lock is seen by the second one only."""
    with database.transaction() as session:
        wanted = {"wanted": [blob.sha256 for blob in blobs], "grace": grace.total_seconds()}
        locked = list(session.scalars(LOCK, wanted))
        delete = text(f"DELETE FROM blobs b WHERE sha256 = ANY(:locked) AND NOT {named_by(session)} RETURNING sha256")  # noqa: S608
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


def _strays(store: BlobStore, before: datetime) -> Iterator[StoredObject]:
    for listed in _batches(found for found in store.backend.list() if found.modified <= before):
        with store.database.transaction() as session:
            known = set(session.scalars(KNOWN, {"listed": [found.sha256 for found in listed]}))
        yield from (found for found in listed if found.sha256 not in known)


def _batches(found: Iterable[StoredObject], size: int = 1000) -> Iterator[list[StoredObject]]:
    source = iter(found)
    while batch := list(islice(source, size)):
        yield batch
