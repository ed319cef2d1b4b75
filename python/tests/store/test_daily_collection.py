"""Workers collect by themselves: in steps, one at a time, and nobody waits for them for long."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from nexus.config import Settings
from nexus.db.session import Database
from nexus.store import BlobStore, collect
from nexus.store.backup import back_up
from nexus.store.collect import CollectionResult, collect_some
from nexus.store.collection_runs import FinishedCollection, is_due, last_collection
from nexus.store.locks import CONTENT, advisory_lock
from nexus.worker import collector
from nexus.worker.background_tasks import open_background
from nexus.worker.collector import Collector
from tests.blocked_statements import wait_until_blocked
from tests.store.test_collect import DAY, NOW, in_store, name, put_name_and_drop


def last(database: Database) -> FinishedCollection | None:
    with database.transaction() as session:
        return last_collection(session)


def due(database: Database, every: timedelta = DAY) -> bool:
    with database.transaction() as session:
        return is_due(session, every)


def let_a_day_pass(database: Database) -> None:
    """A library that began today has nothing to collect."""
    with database.transaction() as session:
        session.execute(text("UPDATE blobs SET touched_at = now() - interval '25 h'"))


def test_workers_take_turns_at_one_run(
    store: BlobStore, database: Database, naming: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step whose time is zero does one portion: two blobs."""
    monkeypatch.setattr(collect, "DELETE_BATCH", 2)
    monkeypatch.setattr(collect, "LIST_BATCH", 3)
    kept = [store.put(b"kept %d" % number) for number in range(3)]
    name(database, *kept)
    for number in range(5):
        store.put(b"unnamed %d" % number)
        stray = store.put(b"stray %d" % number)
        with database.transaction() as session:
            session.execute(text("DELETE FROM blobs WHERE sha256 = :s"), {"s": stray.sha256})
    assert not due(database)
    let_a_day_pass(database)
    assert due(database)
    workers = [Collector(store, every=DAY, grace=NOW, seconds=0) for _ in range(2)]
    steps = 0
    while workers[steps % 2].step():
        steps += 1
        assert last(database) is None
    assert steps > 8
    assert in_store(store) == {blob.sha256 for blob in kept}
    done = last(database)
    assert done is not None
    assert (done.blobs, done.bytes, done.leftovers) == (10, 5 * 9 + 5 * 7, 0)
    assert not due(database)
    assert not collect_some(store, every=DAY, grace=NOW, seconds=0)
    assert last(database) == done
    with database.transaction() as session:
        day_before = "now() - interval '25 h', finished_at = now() - interval '24 h'"
        session.execute(text(f"UPDATE store_collections SET started_at = {day_before}"))
    assert due(database)
    while collect_some(store, every=DAY, grace=NOW, seconds=0):
        pass
    with database.transaction() as session:
        assert session.execute(text("SELECT count(*) FROM store_collections")).scalar_one() == 1, "only the last"
    assert last(database) != done


def test_put_between_two_steps_is_kept(
    folder: BlobStore, database: Database, naming: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A blob that the first step was about to remove is put and named again before the second."""
    monkeypatch.setattr(collect, "DELETE_BATCH", 1)
    contents = [b"content %d" % number for number in range(6)]
    for content in contents:
        folder.put(content)
    let_a_day_pass(database)
    assert collect_some(folder, every=DAY, grace=NOW, seconds=0)
    name(database, *(folder.put(content) for content in contents))
    while collect_some(folder, every=DAY, grace=NOW, seconds=0):
        pass
    assert all(folder.read_bytes(sha256) in contents for sha256 in in_store(folder))
    assert len(in_store(folder)) == 6


def test_putters_and_two_workers_together_lose_nothing(folder: BlobStore, database: Database, naming: str) -> None:
    stop = threading.Event()

    def collect_all_the_time() -> None:
        while not stop.is_set():
            worker = Collector(folder, every=NOW, grace=NOW, seconds=0)  # a new one looks at once
            while worker.step():
                pass

    with ThreadPoolExecutor(6) as threads:
        collecting = [threads.submit(collect_all_the_time) for _ in range(2)]
        putting = [threads.submit(put_name_and_drop, folder, number) for number in range(4)]
        named = [each.result() for each in putting]
        stop.set()
        for each in collecting:
            each.result()
    assert all(named)
    with database.transaction() as session:
        still_named = set(session.scalars(text("SELECT sha256 FROM names_a_blob")))
    assert still_named <= in_store(folder)


def test_backup_comes_between_two_steps(folder: BlobStore, database: Database, naming: str, tmp_path: Path) -> None:
    """The backup waits for the step under way; while it reads, workers do not collect."""
    name(database, folder.put(b"kept"))
    let_a_day_pass(database)
    worker = Collector(folder, every=DAY, grace=NOW, seconds=0)
    with ThreadPoolExecutor(1) as threads:
        with advisory_lock(database, CONTENT, refusal=""):  # as a step has it
            backing_up = threads.submit(back_up, folder, tmp_path / "nexus.tar")
            wait_until_blocked(database)
        assert backing_up.result().blobs == 1
    with advisory_lock(database, CONTENT, shared=True, refusal=""):
        assert not worker.step()
    assert last(database) is None


def test_nothing_is_begun_where_nothing_was_stored(folder: BlobStore, database: Database) -> None:
    assert not Collector(folder, every=DAY).step()
    assert not Path(folder.backend.location).exists()


def test_command_counts_as_a_run(folder: BlobStore, database: Database) -> None:
    folder.put(b"unnamed")
    let_a_day_pass(database)
    assert due(database)
    assert collect.collect(folder, grace=NOW, dry_run=True) == CollectionResult(blobs=1, bytes=7)
    assert last(database) is None
    collect.collect(folder, grace=NOW)
    done = last(database)
    assert done is not None
    assert (done.blobs, done.bytes) == (1, 7)
    assert not due(database)


def test_worker_has_the_task(folder: BlobStore, folder_settings: Settings, database: Database) -> None:
    """Workers collect unless the operator disables it; the grace period is a day."""
    folder.put(b"put yesterday")
    let_a_day_pass(database)
    unnamed = folder.put(b"put a moment ago")
    never = folder_settings.model_copy(update={"store_collect_hours": 0})
    with open_background(never, database) as background:
        background.drain(lambda: False)
    assert last(database) is None
    with open_background(folder_settings, database) as background:
        background.drain(lambda: False)
    done = last(database)
    assert done is not None
    assert done.blobs == 1
    assert folder.exists(unnamed.sha256)
    assert collector.STEP_SECONDS <= 2
