"""Indexes in children that are killed at lines of the indexing, one after the other; after each it must be complete.

Started by test_index_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import text

import nexus.search.index
import nexus.services.search
import nexus.system.atomic_files
from nexus.config import Settings, load_settings
from nexus.db.session import Database
from nexus.search.index import LibraryIndex
from nexus.search.query import read_query
from nexus.services.search.index_process import index_here, open_folder
from tests.killed_at_lines import kill_at_line, was_killed

LINES_OF = (
    str(Path(nexus.services.search.__file__).parent),
    nexus.search.index.__file__,
    nexus.system.atomic_files.__file__,
)
Step = Callable[[Settings, Database, int], None]


def change(settings: Settings, database: Database, number: int) -> None:
    """Every second time the index is also to be built anew."""
    with database.transaction() as session:
        session.execute(text("UPDATE library_media SET note = :note"), {"note": f"round{number}"})
        library_ids = session.scalars(text("SELECT DISTINCT library_id FROM library_media")).all()
    if number % 2:
        for library_id in library_ids:
            open_folder(database, settings.data_dir).want_rebuild(library_id)


def index(settings: Settings, database: Database, _: int) -> None:
    assert index_here(database, settings.data_dir), "the lock is held"


def index_until_killed(settings: Settings, database: Database, number: int) -> None:
    kill_at_line(number, *LINES_OF)
    index(settings, database, number)


def check(settings: Settings, database: Database, number: int) -> None:
    """What is there is found by its last note, and by no other."""
    index(settings, database, number)
    folder = open_folder(database, settings.data_dir)
    with database.transaction() as session:
        rows = session.execute(text("SELECT library_id, media_id FROM library_media")).all()
    for library_id in {row.library_id for row in rows}:
        assert folder.is_complete(library_id)
        snapshot = LibraryIndex(folder.index_path(library_id)).snapshot()
        expected = sorted(row.media_id for row in rows if row.library_id == library_id)
        for typed in (f'"round{number}"', "is:unread"):
            found = snapshot.hits(snapshot.ask(read_query(typed)), limit=50)
            assert sorted(one.media_id for one in found) == expected, (number, typed)
        assert snapshot.entries == len(expected)


def run_child(step: Step, number: int) -> bool:
    def work() -> None:
        settings = load_settings()
        step(settings, Database(settings), number)

    return was_killed(work, f"{step.__name__} at line {number}")


def main(step: int) -> None:
    number, killed = 1, True
    while killed:
        run_child(change, number)
        killed = run_child(index_until_killed, number)
        run_child(check, number)
        number += step
    print(number // step)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
