"""Reads the texts that came with imports, of items whose pages cannot be read."""

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
from nexus.services.imports.applying.contents import next_content, refuse_content, use_content
from nexus.text.imports.imported_text import read_imported_text
from nexus.text.process_pool import TextPool
from nexus.worker.background import BackgroundTask

STEP_SECONDS = 1.0
# What is wrong with one content alone. Everything else pauses the task.
OF_ONE_CONTENT = (
    BlankTextError,
    SanitizationError,
    TextCrashError,
    TextMemoryError,
    TextTimeoutError,
    UnparsableHtmlError,
)


class ImportedTexts(BackgroundTask):
    name: ClassVar[str] = "texts of imports"

    def __init__(self, database: Database, texts: TextPool) -> None:
        self._database = database
        self._texts = texts

    def step(self) -> bool:
        until = time.monotonic() + STEP_SECONDS
        while time.monotonic() < until:
            if not self._read_next():
                return False
        return True

    def _read_next(self) -> bool:
        with self._database.transaction() as session:
            due = next_content(session)
        if due is None:
            return False
        try:
            page = self._texts.run(read_imported_text, due.content, due.content_type, due.base_url)
        except OF_ONE_CONTENT:
            with self._database.transaction() as session:
                refuse_content(session, due)
            return True
        with self._database.transaction() as session:
            use_content(session, due, page)
        return True
