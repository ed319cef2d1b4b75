"""The highlights of one text."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.highlights.records import COLUMNS, Highlight, highlight_of
from nexus.services.locks import find_readable
from nexus.services.users import CurrentUser

OF_TEXT = text(f"""
    SELECT {COLUMNS} FROM highlights AS highlight
    WHERE library_id = :library_id AND media_id = :media_id AND deleted_at IS NULL
    ORDER BY start_fragment, start_offset, id
""")  # noqa: S608 - our own constant


def list_of_text(session: Session, user: CurrentUser, media_id: UUID) -> tuple[UUID, Sequence[Highlight]]:
    """The media, and its highlights in the order of the text."""
    found = find_readable(session, user, media_id)
    rows = session.execute(OF_TEXT, {"library_id": user.default_library_id, "media_id": found})
    return found, [highlight_of(row) for row in rows]
