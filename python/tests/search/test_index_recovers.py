"""Indexes that break whenever they are built, and a clock that jumps."""

import gc
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import pytest
from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import BrokenIndexError
from nexus.search import documents
from nexus.search.documents import EntryText
from nexus.search.index import Batch, LibraryIndex
from nexus.search.query import read_query
from nexus.search.tokenizer import words_in
from nexus.services.search import indexer
from nexus.services.search.change_log import delete_old_changes
from nexus.services.search.index_process import index_here, open_folder
from nexus.services.search.indexes import Indexes, IndexState
from tests.api.saving import ALICE, BOB
from tests.episodes import fragments_of, save_episode
from tests.search.damage import KilledError
from tests.search.search_client import search_for

MAX_TRIES = 5


def test_what_breaks_again_and_again_is_left_alone_for_a_while(database: Database, data_dir: Path) -> None:
    """A broken index neither keeps the process busy nor delays the indexes of other users."""
    failing = save_episode(database, ALICE, fragments_of("A text the engine fails over"))
    save_episode(database, BOB, fragments_of("Any other"))
    tried: list[UUID] = []
    put = Batch.put

    def fail(batch: Batch, entry: EntryText) -> None:
        if entry.media_id == failing:
            tried.append(failing)
            assert len(tried) <= MAX_TRIES, "it goes on and on"
            raise BrokenIndexError("The search index cannot be used.")
        put(batch, entry)

    with patch.object(Batch, "put", fail), patch.object(indexer, "FIRST_BACKOFF_SECONDS", 1000.0):
        assert index_here(database, data_dir)
    folder = open_folder(database, data_dir)
    assert len(tried) == 2
    assert len(list(folder.unfinished())) == 1
    assert [folder.is_complete(library_id) for library_id in folder.libraries()].count(True) == 1, "the other user's"
    assert index_here(database, data_dir)
    assert list(folder.unfinished()) == []
    assert [folder.is_complete(library_id) for library_id in folder.libraries()] == [True, True]


def test_a_text_that_our_own_code_fails_over_is_left_out(
    database: Database, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Such a text is no damage: the index is not rebuilt each time, and all other texts are found."""
    failing = save_episode(database, ALICE, fragments_of("A zebra the tokenizer fails over"))
    other = save_episode(database, ALICE, fragments_of("A zebra"))

    def fail(text: str) -> list[str]:
        if "fails over" in text:
            raise ValueError("a defect")
        return list(words_in(text))

    folder = open_folder(database, data_dir)
    with patch.object(documents, "words_in", fail):
        assert index_here(database, data_dir)
    (library_id,) = folder.libraries()
    assert folder.is_complete(library_id)
    snapshot = LibraryIndex(folder.index_path(library_id)).snapshot()
    assert [one.media_id for one in snapshot.hits(snapshot.prepare(read_query("zebra ")), limit=5)] == [other]
    assert "rebuilding it" not in caplog.text
    assert str(failing) in caplog.text


@pytest.mark.parametrize("is_busy", [False, True])
@pytest.mark.parametrize("jump", ["10 years", "-10 years"])
def test_a_clock_that_jumps(database: Database, data_dir: Path, jump: str, is_busy: bool) -> None:
    """What was logged in the past is forgotten before it is read: the index is rebuilt. Also while a transaction is
    open that began before it was logged.
    """
    assert index_here(database, data_dir)
    with database.engine.connect() as other:
        if is_busy:
            other.execute(text("SELECT pg_current_xact_id()"))
        media_id = save_episode(database, ALICE, fragments_of("A zebra"))
        with database.transaction() as session:
            log = text("UPDATE search_changes SET logged_at = now() + CAST(:jump AS interval)")
            session.execute(log, {"jump": jump})
            delete_old_changes(session)
        assert index_here(database, data_dir)
    folder = open_folder(database, data_dir)
    (library_id,) = folder.libraries()
    snapshot = LibraryIndex(folder.index_path(library_id)).snapshot()
    assert [one.media_id for one in snapshot.hits(snapshot.prepare(read_query("zebra ")), limit=5)] == [media_id]


def test_a_build_goes_on_where_it_was_last_committed(database: Database, data_dir: Path) -> None:
    media_ids = {save_episode(database, ALICE, fragments_of(f"A zebra, number {number}")) for number in range(5)}
    put: list[UUID] = []
    keep = Batch.put

    def fail(batch: Batch, entry: EntryText) -> None:
        if len(put) == 4:
            raise KilledError
        put.append(entry.media_id)
        keep(batch, entry)

    small_steps = patch.object(indexer, "BUILD_SIZE", 1), patch.object(indexer, "COMMIT_SIZE", 3)
    with small_steps[0], small_steps[1], patch.object(Batch, "put", fail), pytest.raises(KilledError):
        index_here(database, data_dir)
    gc.collect()  # the writer that was killed lets go of its lock
    folder = open_folder(database, data_dir)
    (library_id,) = folder.unfinished()
    build = folder.build(library_id)
    assert build is not None
    assert (build.done, build.after) == (3, sorted(media_ids)[2])
    assert LibraryIndex(folder.index_path(library_id)).snapshot().entries == 3
    assert index_here(database, data_dir)
    snapshot = LibraryIndex(folder.index_path(library_id)).snapshot()
    found = snapshot.hits(snapshot.prepare(read_query("zebra ")), limit=10)
    assert sorted(one.media_id for one in found) == sorted(media_ids)


def test_what_is_built_so_far_is_found_and_counted(database: Database, data_dir: Path) -> None:
    for number in range(5):
        save_episode(database, ALICE, fragments_of(f"A zebra, number {number}"))
    folder, indexes = open_folder(database, data_dir), Indexes(data_dir)
    with patch.object(indexer, "BUILD_SIZE", 2), patch.object(indexer, "COMMIT_SIZE", 2):
        kept_indexer = indexer.Indexer(database, folder)
        seen = []
        while kept_indexer.catch_up():
            found = search_for(database, indexes, "zebra ")
            seen.append((found.index.state, found.index.done, found.index.total, len(found.hits)))
            assert found.total_is_about == (found.index.state == "building")
        kept_indexer.close()
    assert seen[0] == ("building", 0, 5, 0)
    assert {("building", 2, 5, 2), ("building", 4, 5, 4)} <= set(seen)
    found = search_for(database, indexes, "zebra ")
    assert (found.index, found.total, found.total_is_about) == (IndexState("ready", 5, 5), 5, False)
