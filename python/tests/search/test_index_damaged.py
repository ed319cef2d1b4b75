"""Indexes whose files are damaged, missing or not ours, read by a server."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import pytest
from tantivy import Document

from nexus.db.session import Database
from nexus.errors import BrokenIndexError
from nexus.search import index as engine
from nexus.search.documents import EntryText
from nexus.search.index import LibraryIndex
from nexus.services.search.index_folder import IndexFolder
from nexus.services.search.index_process import index_here, open_folder
from nexus.services.search.indexes import Indexes
from nexus.services.search.status import get_status
from tests.api.saving import ALICE
from tests.episodes import fragments_of, save_episode
from tests.search.damage import overwrite, remove, replace_by_a_file, truncate
from tests.search.search_client import search_for
from tests.search.small_index import SmallIndex


def saved(database: Database, data_dir: Path, *texts: str) -> tuple[IndexFolder, UUID]:
    for text in texts:
        save_episode(database, ALICE, fragments_of(text))
    assert index_here(database, data_dir)
    folder = open_folder(database, data_dir)
    (library_id,) = folder.libraries()
    return folder, library_id


def damage_words(path: Path) -> None:
    """Damages the words: the engine opens the index, and still finds entries by other fields."""
    content = bytearray(path.read_bytes())
    begin, end = len(content) // 5, len(content) // 2
    content[begin:end] = b"\xff" * (end - begin)
    path.write_bytes(content)


@pytest.mark.parametrize("typed", ["zebra ", "zeb", "zebbra "])
def test_words_that_cannot_be_read_are_reported_and_rebuilt(database: Database, data_dir: Path, typed: str) -> None:
    folder, library_id = saved(database, data_dir, "A zebra")
    for path in folder.index_path(library_id).glob("*.term"):
        damage_words(path)
    indexes = Indexes(data_dir)
    with pytest.raises(BrokenIndexError):
        search_for(database, indexes, typed)
    assert list(folder.requested()) == [library_id]
    assert index_here(database, data_dir)
    assert len(search_for(database, indexes, typed).hits) == 1


@pytest.mark.parametrize("damage", [truncate, overwrite, remove, replace_by_a_file])
@pytest.mark.parametrize("is_searched", [True, False])
def test_an_index_that_is_damaged_is_rebuilt(
    database: Database, data_dir: Path, damage: Callable[[Path], None], is_searched: bool
) -> None:
    """A server that searches notices it first, or the process that adds new entries."""
    folder, library_id = saved(database, data_dir, "A zebra", "Another zebra")
    damage(folder.index_path(library_id))
    if is_searched:
        with suppress(BrokenIndexError):
            assert search_for(database, Indexes(data_dir), "zebra ").index.state == "building"
        assert list(folder.requested()) == [library_id]
    save_episode(database, ALICE, fragments_of("A third zebra"))
    assert index_here(database, data_dir)
    found = search_for(database, Indexes(data_dir), "zebra ")
    assert (found.index.state, found.total) == ("ready", 3)


def test_who_reads_makes_no_index(tmp_path: Path) -> None:
    """An empty index would count as complete."""
    with pytest.raises(BrokenIndexError):
        LibraryIndex(tmp_path / "index", create=False)
    assert not (tmp_path / "index").exists()
    (tmp_path / "index").mkdir()
    with pytest.raises(BrokenIndexError):
        LibraryIndex(tmp_path / "index", create=False)
    assert list((tmp_path / "index").iterdir()) == []
    SmallIndex(tmp_path / "index").add("it", "words")
    assert LibraryIndex(tmp_path / "index", create=False).snapshot().entries == 1


def test_a_server_makes_no_index_where_one_is_just_removed(database: Database, data_dir: Path) -> None:
    folder, library_id = saved(database, data_dir, "A zebra")
    exists = IndexFolder.exists

    def removed_meanwhile(here: IndexFolder, asked: UUID) -> bool:
        found = exists(here, asked)
        here.clear(asked)
        return found

    with patch.object(IndexFolder, "exists", removed_meanwhile):
        assert search_for(database, Indexes(data_dir), "zebra ").index.state == "building"
    assert not folder.index_path(library_id).exists()


@pytest.mark.parametrize(
    "content", [{}, {"since": 1}, {"since": "x", "after": None, "done": 0, "total": 0}, {"after": "x"}, [1], 2**70]
)
def test_files_of_progress_that_are_not_ours(database: Database, data_dir: Path, content: object) -> None:
    folder, library_id = saved(database, data_dir, "A zebra")
    (folder.path / f"{library_id}.building.json").write_text(json.dumps(content))
    (folder.path / "progress.json").write_text(json.dumps({"until": content}))
    assert folder.build(library_id) is None
    assert search_for(database, Indexes(data_dir), "zebra ").index.state == "building"
    assert get_status(database, folder).waiting == 0
    assert index_here(database, data_dir)
    found = search_for(database, Indexes(data_dir), "zebra ")
    assert (found.index.state, len(found.hits)) == ("ready", 1)


def test_a_text_that_the_engine_refuses_is_named(tmp_path: Path) -> None:
    small = SmallIndex(tmp_path / "index")

    def of_another_schema(_: EntryText) -> Document:
        return Document(saved_at="not a number")

    with patch.object(engine, "document_of", of_another_schema), pytest.raises(BrokenIndexError, match="saved_at"):
        small.add("it", "words")
