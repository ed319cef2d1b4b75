"""Finds highlights again in versions that became current, and clears the content of deleted ones."""

import time
from typing import ClassVar

from nexus.db.session import Database
from nexus.services.highlights.carry_over import carry_batch, empty_deleted, is_waiting, next_batch, write_batch
from nexus.worker.background import BackgroundTask

EMPTY_SECONDS = 60.0


class HighlightCarrier(BackgroundTask):
    name: ClassVar[str] = "highlights"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._emptied = float("-inf")

    def is_urgent(self) -> bool:
        """Urgent, because readers already see the new text."""
        with self._database.transaction() as session:
            return is_waiting(session)

    def step(self) -> bool:
        if time.monotonic() - self._emptied > EMPTY_SECONDS:
            with self._database.transaction() as session:
                empty_deleted(session)
            self._emptied = time.monotonic()
        with self._database.transaction() as session:
            batch = next_batch(session)
        if batch is None:
            return False
        rows = carry_batch(batch)
        with self._database.transaction() as session:
            write_batch(session, batch, rows)
        return True
