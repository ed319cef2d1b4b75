"""The highlights of one text, or of some."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
OF_TEXTS = text(f"""
    SELECT {COLUMNS} FROM highlights AS highlight
    WHERE library_id = :library_id AND media_id = ANY(:media_ids) AND deleted_at IS NULL
      AND EXISTS (SELECT FROM library_media AS entry
                  WHERE entry.library_id = highlight.library_id AND entry.media_id = highlight.media_id)
    ORDER BY media_id, start_fragment, start_offset, id
""")  # noqa: S608


def list_of_text(session: Session, user: CurrentUser, media_id: UUID) -> tuple[UUID, Sequence[Highlight]]:
    """The media, and its highlights in the order of the text."""
    found = find_readable(session, user, media_id)
    rows = session.execute(OF_TEXT, {"library_id": user.default_library_id, "media_id": found})
    return found, [highlight_of(row) for row in rows]


def list_of_texts(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[Highlight]]:
    """Highlights in the user's own library, by media, in the order of the text; media without any are left out."""
    found: defaultdict[UUID, list[Highlight]] = defaultdict(list)
    values = {"library_id": user.default_library_id, "media_ids": list(media_ids)}
    for row in session.execute(OF_TEXTS, values):
        found[row.media_id].append(highlight_of(row))
    return found
