"""Indexes in children that are killed at one line after the other; after each of them the index must be complete.
Then in four of them at once.

Started by test_index_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

from collections.abc import Callable
from functools import partial
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
from tests.killed_at_lines import ended_by_kill, kill_at_line, start_child, was_killed

LINES_OF = (
    str(Path(nexus.services.search.__file__).parent),
    nexus.search.index.__file__,
    nexus.system.atomic_files.__file__,
)
FIRST = 1
# All lines would take minutes. Odd, so that every second time the index is rebuilt.
EVERY = 23
CHILDREN = 4
TURNS = 5
CHANGE_ONE = text("""
    UPDATE library_media SET note = :note
    WHERE media_id = (SELECT media_id FROM library_media ORDER BY media_id LIMIT 1 OFFSET :which)
""")
Step = Callable[[Settings, Database, int], None]


def change(settings: Settings, database: Database, number: int) -> None:
    """Changes the entries, and every second time requests that the index is rebuilt."""
    with database.transaction() as session:
        session.execute(text("UPDATE library_media SET note = :note"), {"note": f"round{number}"})
        library_ids = session.scalars(text("SELECT DISTINCT library_id FROM library_media")).all()
    if number % 2:
        for library_id in library_ids:
            open_folder(database, settings.data_dir).request_rebuild(library_id)


def index(settings: Settings, database: Database, _: int) -> None:
    assert index_here(database, settings.data_dir), "the lock is held"


def index_until_killed(settings: Settings, database: Database, number: int) -> None:
    """Checks first what the child before left: each child costs a connection."""
    if number > FIRST:
        check(settings, database, number - EVERY)
    change(settings, database, number)
    kill_at_line(number, *LINES_OF)
    index(settings, database, number)


def check(settings: Settings, database: Database, number: int) -> None:
    """Each entry is found by its last note, and by no earlier one."""
    index(settings, database, number)
    folder = open_folder(database, settings.data_dir)
    with database.transaction() as session:
        rows = session.execute(text("SELECT library_id, media_id FROM library_media")).all()
    for library_id in {row.library_id for row in rows}:
        assert folder.is_complete(library_id)
        snapshot = LibraryIndex(folder.index_path(library_id)).snapshot()
        expected = sorted(row.media_id for row in rows if row.library_id == library_id)
        for typed in (f'"round{number}"', "is:unread"):
            found = snapshot.hits(snapshot.prepare(read_query(typed)), limit=50)
            assert sorted(one.media_id for one in found) == expected, (number, typed)
        assert snapshot.entries == len(expected)


def work_of(step: Step, number: int) -> None:
    settings = load_settings()
    step(settings, Database(settings), number)


def run_child(step: Step, number: int) -> bool:
    return was_killed(partial(work_of, step, number), f"{step.__name__} at line {number}")


def index_in_many_children(number: int) -> None:
    """Each changes an entry of its own; the child with the lock indexes for all."""

    def index_often(settings: Settings, database: Database, which: int) -> None:
        for left in reversed(range(TURNS)):
            with database.transaction() as session:
                session.execute(CHANGE_ONE, {"which": which, "note": f"round{number} {'again ' * left}"})
            index_here(database, settings.data_dir)

    children = [start_child(partial(work_of, index_often, which)) for which in range(CHILDREN)]
    assert [ended_by_kill(child, "indexing beside others") for child in children] == [False] * CHILDREN


def main() -> None:
    number = FIRST
    while run_child(index_until_killed, number):
        number += EVERY
    run_child(check, number)
    index_in_many_children(number)
    run_child(check, number)
    print(number // EVERY)  # noqa: T201


if __name__ == "__main__":
    main()
