"""The process that keeps the search indexes of this machine.

A server starts it (`start_indexing.py`), with the lock of the folder, and it ends with that server.
"""

import argparse
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from nexus.config import load_settings
from nexus.db.channels import SEARCH
from nexus.db.listener import Listener
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError, NexusError
from nexus.logging import configure_logging, get_logger
from nexus.services.search.change_log import identity
from nexus.services.search.index_folder import IndexFolder
from nexus.services.search.indexer import Indexer
from nexus.system.error_text import first_line
from nexus.system.restarted_process import exit_with_parent

log = get_logger(__name__)

# Without a notification; one may have been lost.
POLL_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 0.2
MAX_PAUSE_SECONDS = 30.0
# Between two commits while saves come in a row: what is written together costs one. A single save does not wait.
BATCH_SECONDS = 0.3
# This process runs at a lower priority: requests come first.
NICENESS = 5


class IndexLoop:
    def __init__(self, database: Database, folder: IndexFolder) -> None:
        self._indexer = Indexer(database, folder)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._listener = Listener(database, SEARCH, on_connect=self._wake.set, on_notify=lambda _: self._wake.set())
        self._pause = FIRST_PAUSE_SECONDS

    def stop(self) -> None:
        self._stopping.set()
        self._wake.set()

    def run(self) -> None:
        self._listener.start()
        try:
            while not self._stopping.is_set():
                self._wake.clear()
                has_more = self._catch_up()
                earliest = time.monotonic() + BATCH_SECONDS
                if not has_more and self._wake.wait(POLL_SECONDS):
                    self._stopping.wait(max(0.0, earliest - time.monotonic()))
        finally:
            self._listener.stop()
            self._indexer.close()

    def _catch_up(self) -> bool:
        """Whether there is more to do at once. Whatever fails is tried again: nothing of the log is lost by it."""
        try:
            more = self._indexer.catch_up()
        except (SQLAlchemyError, EmbeddedDatabaseError, NexusError, OSError) as error:
            reason = first_line(error)
            log.warning("the search index is not up to date; trying again", reason=reason, pause_seconds=self._pause)
            self._stopping.wait(self._pause)
            self._pause = min(2 * self._pause, MAX_PAUSE_SECONDS)
            return True
        self._pause = FIRST_PAUSE_SECONDS
        return more


def open_folder(database: Database, data_dir: Path) -> IndexFolder:
    with database.transaction() as session:
        return IndexFolder(data_dir, identity(session))


def index_here(database: Database, data_dir: Path, on_step: Callable[[IndexFolder], None] = lambda _: None) -> bool:
    """Brings the indexes up to date within this process; False: another one is at it."""
    folder = open_folder(database, data_dir)
    with folder.lock() as lock:
        if not lock.acquire():
            return False
        indexer = Indexer(database, folder)
        try:
            while indexer.catch_up():
                on_step(folder)
        finally:
            indexer.close()
    return True


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data-dir", type=Path, required=True)
    options.add_argument("--lock", type=int, required=True, help="the descriptor of the folder's lock")
    given = options.parse_args()
    os.set_inheritable(given.lock, False)
    settings = load_settings(data_dir=given.data_dir)
    configure_logging(settings.log_level, settings.log_format)
    os.nice(NICENESS)
    exit_with_parent()  # at once: the next process goes on from what is committed
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit)
    with Database(settings) as database:
        loop = IndexLoop(database, open_folder(database, settings.data_dir))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: loop.stop())
        loop.run()


def _exit(*_: object) -> None:
    raise SystemExit(0)
