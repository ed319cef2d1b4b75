"""Restores the archive that is there, in children that are killed at one line after the other until it is done.

Started by test_archive_imports.py: imports once, then a fork per line. Prints how many were killed.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import nexus.services.archives
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.archives import restore
from nexus.services.archives.restore import RestoreResources
from nexus.services.imports import archives
from nexus.store import open_store
from nexus.text.process_pool import ProcessPool
from nexus.web.public_address import AllowList
from nexus.worker import archive_restorer
from nexus.worker.archive_restorer import ArchiveRestorer
from tests.killed_at_lines import kill_at_line, kill_at_lines

P = ParamSpec("P")
T = TypeVar("T")
LINES_OF = (
    str(Path(nexus.services.archives.__file__).parent),
    str(archives.__file__),
    str(archive_restorer.__file__),
)


class InThisProcess(ProcessPool):
    """Child processes write nothing to the database, and each would take half a second to start."""

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)


def work_until_killed(number: int) -> None:
    settings = load_settings()
    database = Database(settings)
    with InThisProcess(workers=1) as pool:
        resources = RestoreResources(database, open_store(settings, database), pool, AllowList(), 1 << 40, 1 << 40, 1)
        task = ArchiveRestorer(resources, Path(tempfile.gettempdir()))
        kill_at_line(number, *LINES_OF)
        while is_running(database):
            task.step()
        task.stop(0)


def is_running(database: Database) -> bool:
    """The lock of a worker that was killed ends with its connection, which may take a moment."""
    with database.transaction() as session:
        return archives.next_archive_import(session) is not None


def main(step: int) -> None:
    restore.BATCH_RECORDS = 2
    archive_restorer.HELD_SECONDS = 0.01
    print(kill_at_lines(work_until_killed, step=step, first=step))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
