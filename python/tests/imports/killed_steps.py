"""Works on the imports that are there, in children that are killed at one line after the other until none is left.

Started by test_imports_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

import sys
from pathlib import Path

import nexus.services.imports
import nexus.worker.importer
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.imports import row_loader
from nexus.store import open_store
from nexus.web.public_address import AllowList
from nexus.worker import importer
from nexus.worker.importer import Importer
from tests.killed_at_lines import kill_at_line, kill_at_lines

LINES_OF = (str(Path(nexus.services.imports.__file__).parent), nexus.worker.importer.__file__)


def work_until_killed(number: int) -> None:
    settings = load_settings()
    database = Database(settings)
    task = Importer(database, open_store(settings, database), allow=AllowList.parse(()), max_attempts=2)
    kill_at_line(number, *LINES_OF)
    while task.step():
        pass


def main(step: int) -> None:
    row_loader.BATCH_ROWS = 10
    importer.FIRST_ROWS = importer.MIN_ROWS = importer.MAX_ROWS = importer.UNDO_ROWS = 7
    print(kill_at_lines(work_until_killed, step=step))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
