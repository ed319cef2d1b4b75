"""Reads the texts that came with imports, for items whose pages cannot be read."""

import time
from typing import ClassVar

from nexus.db.session import Database
from nexus.errors import (
    BlankTextError,
    SanitizationError,
    TextCrashError,
    TextMemoryError,
    TextTimeoutError,
    UnparsableHtmlError,
)
from nexus.services.imports.rows.due_texts import DueText, RowKey, next_due_text, refuse_due_text, use_due_text
from nexus.services.served_users import ServedUsers
from nexus.text.imports.imported_text import read_imported_text
from nexus.text.process_pool import ProcessPool
from nexus.worker.background import BackgroundTask
from nexus.worker.pauses import Pauses

STEP_SECONDS = 1.0
# Permanent errors of a single text. Any other error pauses the text and the task.
TEXT_ERRORS = (
    BlankTextError,
    SanitizationError,
    TextCrashError,
    TextMemoryError,
    TextTimeoutError,
    UnparsableHtmlError,
)


class ImportedTextReader(BackgroundTask):
    """Reads one text of each user in turn."""

    name: ClassVar[str] = "texts of imports"

    def __init__(self, database: Database, pool: ProcessPool) -> None:
        self._database = database
        self._pool = pool
        self._pauses: Pauses[RowKey] = Pauses()
        self._served = ServedUsers()

    def step(self) -> bool:
        until = time.monotonic() + STEP_SECONDS
        while time.monotonic() < until:
            if not self._read_next():
                return False
        return True

    def _read_next(self) -> bool:
        with self._database.transaction() as session:
            due = next_due_text(session, served=self._served.ids(), without=self._pauses.active())
        if due is None:
            return False
        self._served.add(due.user_id)
        try:
            self._read(due)
        except Exception:
            self._pauses.failed(due.key)
            raise
        self._pauses.succeeded(due.key)
        return True

    def _read(self, due: DueText) -> None:
        try:
            page = self._pool.run(read_imported_text, due.content, due.content_type, due.base_url)
        except TEXT_ERRORS:
            with self._database.transaction() as session:
                refuse_due_text(session, due)
            return
        with self._database.transaction() as session:
            use_due_text(session, due, page)
