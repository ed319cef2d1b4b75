"""A highlight, as it is read from its row."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError
from nexus.services.notifications import notify_of_media
from nexus.services.users import CurrentUser
from nexus.text.quotes.colors import HighlightColor
from nexus.text.quotes.joined_text import Point

State = Literal["attached", "orphaned"]
MAX_NOTE_CHARS = 10_000
MAX_QUOTE_CHARS = 50_000

# The columns of a row under the name `highlight`.
COLUMNS = """highlight.id, highlight.media_id, highlight.version, highlight.start_fragment, highlight.start_offset,
    highlight.end_fragment, highlight.end_offset, highlight.quote, highlight.prefix, highlight.suffix,
    highlight.start_ms, highlight.color, highlight.note, highlight.state, highlight.created_at, highlight.updated_at,
    highlight.seen_at,
    ARRAY(SELECT tags.name FROM highlight_tags JOIN tags ON tags.id = highlight_tags.tag_id
          WHERE highlight_tags.library_id = highlight.library_id AND highlight_tags.highlight_id = highlight.id
          ORDER BY tags.name_key) AS tags"""
ONE = text(f"""
    SELECT {COLUMNS} FROM highlights AS highlight
    WHERE library_id = :library_id AND id = :id AND deleted_at IS NULL
""")  # noqa: S608 - our own constant
DELETE = text("DELETE FROM highlights WHERE library_id = :library_id AND id = ANY(:ids)")


@dataclass(frozen=True)
class Highlight:
    """`version`: whose text it is in; None: that text is gone with a media that was merged away."""

    id: UUID
    media_id: UUID
    version: int | None
    start: Point
    end: Point
    quote: str
    prefix: str
    suffix: str
    start_ms: int | None
    color: HighlightColor
    note: str | None
    tags: Sequence[str]
    state: State
    created_at: datetime
    updated_at: datetime
    seen_at: datetime | None


def highlight_of(row: Row[Any]) -> Highlight:
    return Highlight(
        id=row.id,
        media_id=row.media_id,
        version=row.version,
        start=Point(row.start_fragment, row.start_offset),
        end=Point(row.end_fragment, row.end_offset),
        quote=row.quote,
        prefix=row.prefix,
        suffix=row.suffix,
        start_ms=row.start_ms,
        color=row.color,
        note=row.note,
        tags=row.tags,
        state=row.state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        seen_at=row.seen_at,
    )


def get_highlight(session: Session, user: CurrentUser, highlight_id: UUID) -> Highlight:
    row = session.execute(ONE, {"library_id": user.default_library_id, "id": highlight_id}).one_or_none()
    if row is None:
        raise no_such_highlight()
    return highlight_of(row)


def delete_highlights(session: Session, user: CurrentUser, ids: Sequence[UUID]) -> None:
    """The rows themselves, for the undo of an import. What a user deletes keeps its row and can be restored."""
    session.execute(DELETE, {"library_id": user.default_library_id, "ids": list(ids)})


def no_such_highlight() -> NotFoundError:
    return NotFoundError("You have no such highlight.")


def notify_highlights(session: Session, user_id: UUID, media_id: UUID) -> None:
    """The user's other windows and devices."""
    notify_of_media(session, user_id, "highlights", media_id)
