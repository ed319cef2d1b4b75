"""Which blobs are removed; in no order of steps is one removed that is about to be named."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import BlobMissingError, StoreBusyError
from nexus.store import Blob, BlobStore, keep_blob, rows
from nexus.store.collect import CollectionResult, collect, delete_bytes, remove_rows
from nexus.store.locks import CONTENT, advisory_lock
from nexus.store.pages import pages
from tests.blocked_statements import wait_until_blocked

DAY = timedelta(days=1)
NOW = timedelta(0)


def name(database: Database, *blobs: Blob) -> None:
    with database.transaction() as session:
        for blob in blobs:
            keep_blob(session, blob)
            session.execute(text("INSERT INTO names_a_blob VALUES (:sha256)"), {"sha256": blob.sha256})


def in_store(store: BlobStore) -> set[bytes]:
    return {found.sha256 for found in store.backend.list()}


def test_removes_what_nothing_names(store: BlobStore, database: Database, naming: str) -> None:
    kept, unnamed = store.put(b"kept"), store.put(b"unnamed")
    name(database, kept)
    with database.transaction() as session:
        session.execute(text("DELETE FROM blobs WHERE sha256 = :s"), {"s": store.put(b"stray").sha256})
    assert collect(store, grace=DAY) == CollectionResult()
    assert collect(store, grace=NOW, dry_run=True) == CollectionResult(blobs=1, strays=1, bytes=12)
    assert collect(store, grace=NOW) == CollectionResult(blobs=1, strays=1, bytes=12)
    assert in_store(store) == {kept.sha256}
    with pytest.raises(BlobMissingError, match="Store them again"), database.transaction() as session:
        keep_blob(session, unnamed)
    assert collect(store, grace=NOW) == CollectionResult()


def test_temporary_files_of_killed_writers_go(folder: BlobStore) -> None:
    folder.put(b"x")
    abandoned = Path(folder.backend.location) / "tmp" / "abandoned"
    abandoned.touch()
    assert collect(folder, grace=NOW).leftovers == 0  # perhaps its writer is at work
    os.utime(abandoned, (time.time() - 7200,) * 2)
    assert collect(folder, grace=DAY).leftovers == 0
    assert collect(folder, grace=NOW).leftovers == 1


def test_tables_of_later_migrations_are_covered(folder: BlobStore, database: Database) -> None:
    blob = folder.put(b"audio")
    with database.engine.begin() as connection:
        connection.exec_driver_sql('CREATE TABLE "New Table" ("The Sound" bytea REFERENCES blobs)')
        connection.execute(text('INSERT INTO "New Table" VALUES (:s)'), {"s": blob.sha256})
    try:
        assert collect(folder, grace=NOW) == CollectionResult()
    finally:
        with database.engine.begin() as connection:
            connection.exec_driver_sql('DROP TABLE "New Table"')
    assert collect(folder, grace=NOW).blobs == 1


def test_backup_holds_it_off(folder: BlobStore, database: Database) -> None:
    with (
        advisory_lock(database, CONTENT, shared=True, refusal=""),
        advisory_lock(database, CONTENT, shared=True, refusal=""),
        pytest.raises(StoreBusyError, match="backup"),
    ):
        collect(folder, grace=NOW)
    assert collect(folder, grace=NOW) == CollectionResult()


def test_put_waits_while_the_same_bytes_are_deleted(
    folder: BlobStore, database: Database, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are deleted while the putter waits; it must find out that they are gone."""
    blob = folder.put(b"same content")
    connection.execute("DELETE FROM blobs")
    connection.commit()
    delete = folder.backend.delete
    putting = threading.Thread(target=lambda: folder.put(b"same content"))

    def delete_while_somebody_puts(sha256: bytes) -> None:
        putting.start()
        wait_until_blocked(database)
        delete(sha256)

    monkeypatch.setattr(folder.backend, "delete", delete_while_somebody_puts)
    assert delete_bytes(folder, blob.sha256)
    putting.join()
    assert folder.read_bytes(blob.sha256) == b"same content"


def test_bytes_stay_where_a_put_was_quicker(folder: BlobStore) -> None:
    blob = folder.put(b"touched again")
    assert not delete_bytes(folder, blob.sha256)
    assert folder.exists(blob.sha256)


def test_row_that_is_being_named_stays(
    folder: BlobStore, database: Database, naming: str, connection: psycopg.Connection
) -> None:
    """The blob is named in a transaction that commits only after the collection has read the rows."""
    blob = folder.put(b"almost named")
    with database.transaction() as session:
        keep_blob(session, blob)
        assert collect(folder, grace=NOW) == CollectionResult()
        session.execute(text("INSERT INTO names_a_blob VALUES (:s)"), {"s": blob.sha256})
    assert collect(folder, grace=NOW) == CollectionResult()
    assert folder.exists(blob.sha256)


def test_row_that_was_named_after_the_collection_looked_stays(
    folder: BlobStore, database: Database, naming: str
) -> None:
    blob = folder.put(b"named meanwhile")
    ((seen,),) = pages(database)
    assert not seen.is_referenced
    name(database, blob)
    assert remove_rows(database, [seen], NOW) == []


def test_name_that_comes_too_late_is_refused(
    folder: BlobStore, database: Database, naming: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the row is deleted and the bytes are not yet, nobody can name it, and a put restores both."""
    blob = folder.put(b"late")
    delete, refused = folder.backend.delete, []

    def delete_while_somebody_names(sha256: bytes) -> None:
        with pytest.raises(BlobMissingError), database.transaction() as session:
            keep_blob(session, blob)
        refused.append(sha256)
        delete(sha256)

    monkeypatch.setattr(folder.backend, "delete", delete_while_somebody_names)
    assert collect(folder, grace=NOW).blobs == 1
    assert refused == [blob.sha256]
    name(database, folder.put(b"late"))
    assert folder.read_bytes(blob.sha256) == b"late"


def test_killed_between_row_and_bytes_leaves_a_stray(
    folder: BlobStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = folder.put(b"stray")

    def die(_: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(folder.backend, "delete", die)
        with pytest.raises(KeyboardInterrupt):
            collect(folder, grace=NOW)
    assert folder.exists(blob.sha256)
    assert collect(folder, grace=NOW) == CollectionResult(strays=1, bytes=5)


def put_name_and_drop(store: BlobStore, number: int) -> int:
    """Returns how often it could name its blob; other threads put, name and drop the same few contents."""
    named = 0
    for step in range(25):
        content = b"content %d" % (step % 3)
        blob = store.put(content)
        with suppress(BlobMissingError):  # collected at once, as it may be without a grace period
            with store.database.transaction() as session:
                keep_blob(session, blob)
                session.execute(text("INSERT INTO names_a_blob VALUES (:s)"), {"s": blob.sha256})
                assert store.read_bytes(blob.sha256) == content  # while nobody can drop the name
            named += 1
        if (step + number) % 2:
            with store.database.transaction() as session:
                session.execute(text("DELETE FROM names_a_blob WHERE sha256 = :s"), {"s": blob.sha256})
    return named


def test_putters_and_collectors_together_lose_nothing(folder: BlobStore, database: Database, naming: str) -> None:
    stop = threading.Event()

    def collect_all_the_time() -> None:
        while not stop.is_set():
            collect(folder, grace=NOW)

    with ThreadPoolExecutor(5) as threads:
        collecting = threads.submit(collect_all_the_time)
        putting = [threads.submit(put_name_and_drop, folder, number) for number in range(4)]
        named = [each.result() for each in putting]
        stop.set()
        collecting.result()
    assert all(named)
    with database.transaction() as session:
        still_named = set(session.scalars(text("SELECT sha256 FROM names_a_blob")))
    assert still_named <= in_store(folder)
    assert all(rows.touch(database, Blob(sha256, 9)) is False for sha256 in still_named)
