"""Imports for tests: rows as a reader of exports gives them, applied as a worker does it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection
from sqlalchemy import text

from nexus.db.session import Database
from nexus.services.imports import states
from nexus.services.imports.rows.apply_rows import ApplyResult, apply_rows
from nexus.services.imports.rows.undo_rows import UndoResult, undo_rows
from nexus.services.imports.steps import apply_step, undo_step
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.library.entry_tags import TagChanges
from nexus.services.saving import SaveContext
from nexus.services.users import CurrentUser
from nexus.text.imports.records import ImportedItem, ImportRecord, to_json
from nexus.web.public_address import AllowList

CONTEXT = SaveContext(AllowList.parse(["127.0.0.0/8"]), 2, "import")
LINK = "https://example.org/story"
SAVED = datetime(2019, 5, 4, 12, 30, tzinfo=UTC)

ADD_IMPORT = text("""
    INSERT INTO imports (id, user_id, status, source, label, files, options, total, loaded, started_at)
    VALUES (:id, :user_id, 'running', 'pocket', 'Pocket', '[]', CAST(:options AS jsonb), :total, :total, now())
""")
ADD_ROW = text("""
    INSERT INTO import_rows (import_id, number, file, line, url, title, record, content, content_type)
    VALUES (:id, :number, :file, :line, :url, :title, CAST(:record AS jsonb), :content, :type)
""")
OUTCOMES = text("""
    SELECT outcome, code, message, item_id, media_id, undo FROM import_rows WHERE import_id = :id ORDER BY number
""")

STATE = [
    """SELECT library_id, media_id, created_at, archived_at, starred_at, read_at, last_read_at, own_title, note,
              has_tags, highlight_count, title_key FROM library_media ORDER BY 1, 2""",
    "SELECT media_id, tag_id, is_set FROM entry_tags ORDER BY 1, 2",
    "SELECT id, name FROM tags ORDER BY 1",
    "SELECT id, media_id, quote, note, color, created_at, deleted_at FROM highlights ORDER BY 1, 2",
    "SELECT highlight_id, tag_id FROM highlight_tags ORDER BY 1, 2",
    "SELECT user_id, media_id, text_at, fraction, text_device FROM positions ORDER BY 1, 2",
    "SELECT id, media_id, status, title, requested_url, created_at FROM items ORDER BY 1",
    "SELECT id, kind, title, requested_url FROM media ORDER BY 1",
]


def item(url: str | None = LINK, **values: Any) -> ImportedItem:
    return ImportedItem("a.csv", 1, url, **({"saved_at": SAVED} | values))


class Importing:
    """One user's imports."""

    def __init__(self, database: Database, user: CurrentUser) -> None:
        self.database = database
        self.user = user

    def add(self, rows: Sequence[ImportRecord], **options: Any) -> UUID:
        """Load rows of a running import."""
        made = uuid4()
        values = {"id": made, "user_id": self.user.user_id, "total": len(rows), "options": json.dumps(options)}
        with self.database.transaction() as session:
            session.execute(ADD_IMPORT, values)
            for number, row in enumerate(rows):
                session.execute(ADD_ROW, _values(row) | {"id": made, "number": number})
        return made

    def apply(self, import_id: UUID, limit: int = 500) -> ApplyResult:
        with self.database.transaction() as session:
            return apply_rows(session, self.user, CONTEXT, import_id, limit)

    def run(self, rows: Sequence[ImportRecord], *, limit: int = 500, **options: Any) -> UUID:
        """Apply all rows and finish."""
        import_id = self.add(rows, **options)
        while self._has_applied(import_id, limit):
            pass
        return import_id

    def _has_applied(self, import_id: UUID, limit: int) -> bool:
        with self.database.transaction() as session:
            return bool(apply_step(session, CONTEXT, import_id, limit, may_notify=False))

    def rows(self, import_id: UUID) -> list[Any]:
        with self.database.transaction() as session:
            return list(session.execute(OUTCOMES, {"id": import_id}).all())

    def outcomes(self, import_id: UUID) -> list[str]:
        return [row.outcome for row in self.rows(import_id)]

    def imported(self, *rows: ImportRecord, **options: Any) -> list[str]:
        """The outcomes of an import of these rows."""
        return self.outcomes(self.run(rows, **options))

    def undo(self, import_id: UUID, limit: int = 500) -> None:
        """Undo the whole import."""
        self.begin_undo(import_id)
        while self._has_undone(import_id, limit):
            pass

    def begin_undo(self, import_id: UUID) -> None:
        with self.database.transaction() as session:
            states.undo(session, self.user, import_id)

    def _has_undone(self, import_id: UUID, limit: int) -> bool:
        with self.database.transaction() as session:
            return bool(undo_step(session, import_id, limit, may_notify=False))

    def undo_batch(self, import_id: UUID, limit: int) -> UndoResult:
        with self.database.transaction() as session:
            return undo_rows(session, self.user, import_id, limit)

    def change(self, media_id: UUID, tags: TagChanges | None = None, **values: Any) -> None:
        """Change an entry as its user does."""
        with self.database.transaction() as session:
            change_entry(session, self.user, media_id, EntryUpdate(values, tags or TagChanges()))


def state(connection: Connection) -> list[Any]:
    """All rows that libraries show."""
    connection.rollback()
    return [connection.execute(query).fetchall() for query in STATE]


def _values(row: ImportRecord) -> dict[str, Any]:
    content = (row.html or row.text) if isinstance(row, ImportedItem) else None
    kind = ("html" if isinstance(row, ImportedItem) and row.html else "text") if content else None
    record = to_json(replace(row, html=None, text=None) if isinstance(row, ImportedItem) else row)
    about = {"file": row.file, "line": row.line, "url": row.url, "title": row.title}
    return about | {"record": record, "content": content, "type": kind}
