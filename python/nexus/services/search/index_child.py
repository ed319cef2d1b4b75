"""Runs the process that keeps this machine's search indexes, unless another server of the machine does."""

import subprocess
import sys
from pathlib import Path
from typing import Self

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services.search.index_folder import IndexFolder
from nexus.services.search.index_process import open_folder
from nexus.system.error_text import first_line
from nexus.system.restarted_process import RestartedProcess

log = get_logger(__name__)

GRACE_SECONDS = 10.0
# A server that has just started has pages to show first; one that ends sooner needs no index.
START_AFTER_SECONDS = 1.0
HAS_ENTRIES = text("SELECT EXISTS (SELECT FROM library_media)")


class IndexChild:
    def __init__(self, database: Database, data_dir: Path) -> None:
        self._database = database
        self._data_dir = data_dir
        self._folder: IndexFolder | None = None
        self._complaint = ""
        self._process = RestartedProcess(
            "index-child",
            self._start,
            grace_seconds=GRACE_SECONDS,
            on_end=_log_end,
            initial_delay_seconds=START_AFTER_SECONDS,
        )

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stop()

    def _start(self) -> "subprocess.Popen[bytes] | None":
        """The child inherits the lock, so that the lock is held as long as any process writes."""
        try:
            self._folder = self._folder or open_folder(self._database, self._data_dir)
            if not self._has_work(self._folder):
                return None
            with self._folder.lock() as lock:
                if not lock.acquire():
                    return None
                command = [sys.executable, "-P", "-m", "nexus.services.search.start_indexing"]
                command += ["--data-dir", str(self._data_dir), "--lock", str(lock.fileno())]
                return subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[lock.fileno()])
        except (SQLAlchemyError, EmbeddedDatabaseError, OSError) as error:
            reason = first_line(error)
            if reason != self._complaint:  # it is tried every second
                log.warning("the search index cannot be kept; trying again", reason=reason)
            self._complaint = reason
            return None

    def _has_work(self, folder: IndexFolder) -> bool:
        """Not before the first text is saved: the process takes half a second of processor to start, and 100 MB."""
        if folder.path.is_dir():
            return True
        with self._database.transaction() as session:
            return bool(session.scalars(HAS_ENTRIES).one())


def _log_end(code: int, pause: float) -> None:
    log.warning("the process of the search index ended and is started again", exit_code=code, pause_seconds=pause)
