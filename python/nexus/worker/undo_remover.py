"""Deletes what can no longer be undone: up to 80 000 rows for each change, which no request should wait for."""

import time
from typing import ClassVar

from nexus.db.session import Database
from nexus.services.organise.undo import delete_expired
from nexus.worker.background import BackgroundTask

POLL_SECONDS = 600.0


class UndoRemover(BackgroundTask):
    name: ClassVar[str] = "expired undos"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_poll = float("-inf")

    def step(self) -> bool:
        if time.monotonic() < self._next_poll:
            return False
        with self._database.transaction() as session:
            more = delete_expired(session)
        if not more:
            self._next_poll = time.monotonic() + POLL_SECONDS
        return more
