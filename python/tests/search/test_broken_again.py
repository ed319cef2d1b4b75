"""An index that breaks whenever it is built does not keep the process busy, nor those of other users from being built."""

from pathlib import Path
from unittest.mock import patch
from uuid import UUID

from nexus.db.session import Database
from nexus.errors import BrokenIndexError
from nexus.search.documents import EntryText
from nexus.search.index import Batch
from nexus.services.search import indexer
from nexus.services.search.index_process import index_here, open_folder
from tests.api.saving import ALICE, BOB
from tests.episodes import fragments_of, save_episode

MAX_TRIES = 5


def test_it_is_left_alone_for_a_while(database: Database, data_dir: Path) -> None:
    hated = save_episode(database, ALICE, fragments_of("A text the engine fails over"))
    save_episode(database, BOB, fragments_of("Any other"))
    tried: list[UUID] = []
    put = Batch.put

    def fail(batch: Batch, entry: EntryText) -> None:
        if entry.media_id == hated:
            tried.append(hated)
            assert len(tried) <= MAX_TRIES, "it goes on and on"
            raise BrokenIndexError("The search index cannot be used.")
        put(batch, entry)

    with patch.object(Batch, "put", fail), patch.object(indexer, "FIRST_REST_SECONDS", 1000.0):
        assert index_here(database, data_dir)
    folder = open_folder(database, data_dir)
    assert len(tried) == 2
    assert len(list(folder.unfinished())) == 1
    assert [folder.is_complete(library_id) for library_id in folder.libraries()].count(True) == 1, "the other user's"
    assert index_here(database, data_dir)
    assert list(folder.unfinished()) == []
    assert [folder.is_complete(library_id) for library_id in folder.libraries()] == [True, True]
