"""Indexing is killed at any line: the next run completes the index, and no entry is in it twice."""

import os
import subprocess
import sys
from pathlib import Path

from nexus.db.session import Database
from tests.api.saving import ALICE, BOB
from tests.episodes import fragments_of, save_episode
from tests.processes import plain_url

SCRIPT = Path(__file__).with_name("killed_indexing.py")


def test_killed_at_many_lines(database: Database, data_dir: Path) -> None:
    for user, number in ((ALICE, 1), (ALICE, 2), (ALICE, 3), (BOB, 4)):
        save_episode(database, user, fragments_of(f"About zebra {number}"), title=f"Zebra {number}")
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "DATABASE_URL": plain_url(database.url),
        "NEXUS_DATA_DIR": str(data_dir),
    }
    done = subprocess.run([sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10
