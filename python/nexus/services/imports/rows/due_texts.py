"""Texts that came with rows whose pages cannot be read: which is due, and the outcome.

The work to do is kept in rows (`content_due`), so a worker may be killed. No transaction is open while a text is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.imports.rows.normalized_row import read_time
from nexus.services.lifecycle.private_texts.imported_texts import AboutText, note_unreadable_text, use_imported_text
from nexus.text.characters import storable_start
from nexus.text.imports.imported_text import ImportedText
from nexus.text.imports.records import ImportedItem, from_values

MAX_FIELD_CHARS = 1000
# The first of each import that has any, found through the index; of these that of the user who was served the longest
# ago, so that thousands of one user keep nobody waiting.
NEXT = text("""
    WITH RECURSIVE waiting AS (
        (SELECT import_id FROM import_rows WHERE content_due ORDER BY import_id LIMIT 1)
        UNION ALL
        SELECT (SELECT import_id FROM import_rows WHERE content_due AND import_id > waiting.import_id
                ORDER BY import_id LIMIT 1)
        FROM waiting WHERE waiting.import_id IS NOT NULL
    ), heads AS (
        SELECT head.import_id, head.number
        FROM waiting JOIN imports ON imports.id = waiting.import_id CROSS JOIN LATERAL (
            SELECT due.import_id, due.number FROM import_rows AS due JOIN items ON items.id = due.item_id
            WHERE due.import_id = waiting.import_id AND due.content_due
              AND items.status IN ('needs_user_text', 'failed')
              AND NOT EXISTS (
                  SELECT FROM unnest(CAST(:paused_imports AS uuid[]), CAST(:paused_numbers AS integer[]))
                      AS paused (import_id, number)
                  WHERE paused.import_id = due.import_id AND paused.number = due.number)
            ORDER BY due.number LIMIT 1
        ) AS head
        ORDER BY coalesce(array_position(CAST(:served AS uuid[]), imports.user_id), 0), head.import_id LIMIT 1
    )
    SELECT import_id, number, content, content_type, record, item_id, items.user_id, items.title, requested_url
    FROM heads JOIN import_rows USING (import_id, number) JOIN items ON items.id = item_id
""")
SETTLE = text("UPDATE import_rows SET content_due = false WHERE import_id = :import_id AND number = :number")
MOVE_ROWS = text("UPDATE import_rows SET media_id = :media_id WHERE item_id = :item_id")


class RowKey(NamedTuple):
    import_id: UUID
    number: int


@dataclass(frozen=True)
class DueText:
    import_id: UUID
    number: int
    content: str
    content_type: Literal["html", "text"]
    base_url: str
    user_id: UUID
    item_id: UUID
    about: AboutText

    @property
    def key(self) -> RowKey:
        return RowKey(self.import_id, self.number)


def next_due_text(session: Session, *, served: Sequence[UUID] = (), without: Sequence[RowKey] = ()) -> DueText | None:
    """`served`: the users whose texts were read before, the longest ago first."""
    values = {
        "served": list(served),
        "paused_imports": [key.import_id for key in without],
        "paused_numbers": [key.number for key in without],
    }
    row = session.execute(NEXT, values).one_or_none()
    if row is None:
        return None
    record = from_values(row.record)
    about = AboutText(row.title)
    if isinstance(record, ImportedItem):
        about = AboutText(
            title=row.title,
            byline=storable_start(record.author, MAX_FIELD_CHARS),
            site_name=storable_start(record.site_name, MAX_FIELD_CHARS),
            lang=storable_start(record.lang, MAX_FIELD_CHARS),
            published_at=read_time(record.published_at),
        )
    kind = cast("Literal['html', 'text']", row.content_type)
    return DueText(
        row.import_id, row.number, row.content, kind, row.requested_url or "", row.user_id, row.item_id, about
    )


def use_due_text(session: Session, due: DueText, page: ImportedText) -> None:
    media_id = use_imported_text(session, due.user_id, due.item_id, page, due.about)
    if media_id is None:
        session.execute(SETTLE, due.key._asdict())  # a trigger drops it with the item's text, or makes it due again
    else:
        session.execute(MOVE_ROWS, {"media_id": media_id, "item_id": due.item_id})


def refuse_due_text(session: Session, due: DueText) -> None:
    """It cannot be read. It stays with its row: a retry of the page that fails again tries it again."""
    session.execute(SETTLE, due.key._asdict())
    note_unreadable_text(session, due.item_id)
