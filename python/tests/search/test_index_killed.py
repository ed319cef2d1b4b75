"""Indexing is killed at any line: the next run completes the index, and no entry is in it twice."""

from pathlib import Path

from nexus.db.session import Database
from tests.api.saving import ALICE, BOB
from tests.episodes import fragments_of, save_episode
from tests.processes import count_kills, script_environment

SCRIPT = Path(__file__).with_name("killed_indexing.py")


def test_killed_at_many_lines(database: Database, data_dir: Path) -> None:
    for user, number in ((ALICE, 1), (ALICE, 2), (ALICE, 3), (BOB, 4)):
        save_episode(database, user, fragments_of(f"About zebra {number}"), title=f"Zebra {number}")
    assert count_kills(SCRIPT, environment=script_environment(database, data_dir)) > 10
