"""Writes exports in children that are killed at lines of the exporter, one after the other.

Started by test_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

import sys
from pathlib import Path
from uuid import uuid4

from sqlalchemy import text

import nexus.worker.exporter as exporter_module
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services import exports
from nexus.services.exports.export_run import ExportDestinations
from nexus.services.exports.formats.bookmarks import Bookmarks
from nexus.services.exports.queue import claim_export
from nexus.services.search.indexes import Indexes
from nexus.store import open_store
from nexus.system import atomic_files
from nexus.worker.exporter import Exporter
from tests.killed_at_lines import kill_at_line, kill_at_lines

FILES = (*map(str, Path(exports.__file__).parent.glob("*.py")), exporter_module.__file__, atomic_files.__file__)
ASK = text("INSERT INTO exports (user_id, schedule_id, format) SELECT user_id, id, format FROM export_schedules")
# What was killed before is due again, as if its lease had run out, and the attempt did not count.
FORGIVE = text("UPDATE exports SET attempts = 0, lease_until = now() WHERE status = 'running'")


def export_until_killed(number: int) -> None:
    settings = load_settings()
    database = Database(settings)
    destinations = ExportDestinations(
        open_store(settings, database), settings.data_dir / "exports", settings.export_dir, 0
    )
    exporter = Exporter(
        destinations, {"bookmarks": Bookmarks()},
        indexes=Indexes(settings.data_dir), keep_seconds=86_400, lease_seconds=0, wake=lambda: None,
    )  # fmt: skip
    with database.transaction() as session:
        session.execute(FORGIVE)
        session.execute(ASK)
    kill_at_line(number, *FILES)
    with database.transaction() as session:
        claim = claim_export(session, uuid4(), 60)
    assert claim is not None
    exporter._work(claim)


def main(step: int) -> None:
    print(kill_at_lines(export_until_killed, step=step))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
