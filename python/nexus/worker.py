"""The worker's loop: put right what dead workers left, sleep, again, until told to stop."""

import threading
from uuid import uuid4

from sqlalchemy.exc import OperationalError

from nexus.config import Settings
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services.lifecycle import hand_back_lost_items

log = get_logger(__name__)


class Worker:
    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database
        self._stop = threading.Event()
        self._id = uuid4()

    def stop(self) -> None:
        self._stop.set()

    def run(self) -> None:
        log.info("worker started", worker=str(self._id))
        while not self._stop.is_set():
            try:
                self.run_once()
            except (OperationalError, EmbeddedDatabaseError) as error:
                # The rows are the queue: a database that is away loses nothing, it only makes us wait.
                log.warning("the database is not available; trying again", reason=str(error).splitlines()[0])
            self._stop.wait(self._settings.worker_poll_seconds)
        log.info("worker stopped", worker=str(self._id))

    def run_once(self) -> int:
        with self._database.transaction() as session:
            handed_back = hand_back_lost_items(session, stale_minutes=self._settings.worker_stale_minutes)
        if handed_back:
            log.warning("handed back items of lost workers", count=handed_back)
        return handed_back
