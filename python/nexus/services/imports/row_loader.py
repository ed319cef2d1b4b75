"""Moves the rows of an import from the store into the database, a batch at a time.

`imports.loaded` counts them in the same transaction, so that after a crash the next worker continues with the next row.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.db.models import Import
from nexus.services.imports.stored_rows import read_rows
from nexus.store import BlobStore

BATCH_ROWS = 500
# Rows with the text of their pages are larger; a step takes at most so much of it.
BATCH_CHARS = 4 << 20
COPY = """
    COPY import_rows (import_id, number, file, line, url, title, record, content, content_type,
                      outcome, code, message, applied_at) FROM STDIN
"""
CONTENT = ("html", "text")
Row = dict[str, Any]


class RowStream:
    """The rows of one import from a position on, read while they are needed. Not thread-safe."""

    def __init__(self, store: BlobStore, import_id: UUID, sha256: bytes, position: int) -> None:
        self.import_id = import_id
        self.position = position
        self._rows = read_rows(store.read(sha256), skip=position)
        self._waiting: list[Row] = []

    def peek(self) -> list[Row]:
        """The next batch, the same until `skip_to`; empty at the end."""
        if not self._waiting:
            self._waiting = list(_batch(self._rows))
        return self._waiting

    def skip_to(self, position: int) -> None:
        """Another worker has loaded rows meanwhile."""
        while self.position < position and self.peek():
            taken = min(len(self._waiting), position - self.position)
            self._waiting = self._waiting[taken:]
            self.position += taken


def _batch(rows: Iterator[Row]) -> Iterator[Row]:
    size = 0
    for row in islice(rows, BATCH_ROWS):
        yield row
        size += len(row.get("html") or row.get("text") or "")
        if size > BATCH_CHARS:
            return


def load_batch(session: Session, found: Import, rows: list[Row]) -> None:
    """`found` is locked, and its row `loaded` is the first of these."""
    connection = session.connection().connection.driver_connection
    if connection is None:
        raise ValueError("the session has no connection")
    now = datetime.now(UTC)
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        for number, row in enumerate(rows, found.loaded):
            copy.write_row((found.id, number, *_columns(row, now)))
    found.failed += sum(row["kind"] == "problem" for row in rows)
    found.loaded += len(rows)
    if found.loaded == found.total:
        found.rows_sha256 = None
    session.flush()


def _columns(row: Row, now: datetime) -> tuple[Any, ...]:
    html, text = row.get("html"), row.get("text")
    kind = "html" if html else "text" if text else None
    source = (row["file"], row["line"], row.get("url"), row.get("title"))
    record = {name: value for name, value in row.items() if name not in CONTENT}
    content = (json.dumps(record, ensure_ascii=False), html or text or None, kind)
    if row["kind"] == "problem":
        return (*source, *content, "failed", row["code"], row["message"], now)
    return (*source, *content, None, None, None, None)
