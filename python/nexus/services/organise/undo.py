"""Undoing a change of many entries. What was decided since then stays."""

from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, UndoExpiredError
from nexus.services.library.library_lock import decide_time, lock_library
from nexus.services.library.tags import notify_tags
from nexus.services.locks import hold_many
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser

UNDO = text("""
    SELECT decided_at, expires_at <= now() AS is_expired FROM bulk_undos WHERE id = :undo_id AND user_id = :user_id
""")
ENTRIES = text("""
    SELECT media_id FROM bulk_undo_entries WHERE undo_id = :undo_id
    UNION SELECT media_id FROM bulk_undo_tags WHERE undo_id = :undo_id
""")
_RESTORE = """
    UPDATE library_media AS entry SET {part}_at = undone.earlier, {part}_decided_at = :now{also}
    FROM bulk_undo_entries AS undone
    WHERE undone.undo_id = :undo_id AND undone.part = '{part}' AND entry.library_id = :library_id
      AND entry.media_id = undone.media_id AND entry.{part}_decided_at = :decided_at
    RETURNING entry.media_id
"""
_READ = """, last_read_at = CASE WHEN last_read_at = :decided_at THEN undone.earlier_read ELSE last_read_at END"""
RESTORE = [
    text(_RESTORE.format(part="read", also=_READ)),
    text(_RESTORE.format(part="archived", also="")),
    text(_RESTORE.format(part="starred", also="")),
    text("""
        UPDATE entry_tags SET is_set = undone.was_set, decided_at = :now
        FROM bulk_undo_tags AS undone
        WHERE undone.undo_id = :undo_id AND entry_tags.library_id = :library_id
          AND entry_tags.media_id = undone.media_id AND entry_tags.tag_id = undone.tag_id
          AND entry_tags.decided_at = :decided_at
        RETURNING entry_tags.media_id
    """),
]
# They are kept for another day, so that the user is told that it is too late, not that there is nothing to undo.
DELETE_EXPIRED = text("""
    DELETE FROM bulk_undos WHERE id = (
        SELECT id FROM bulk_undos WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT 1
        FOR UPDATE SKIP LOCKED)
    RETURNING id
""")
DELETE = text("DELETE FROM bulk_undos WHERE id = :undo_id")


def undo(session: Session, user: CurrentUser, undo_id: UUID) -> int:
    """How many entries are as they were."""
    lock_library(session, user)
    values: dict[str, Any] = {"undo_id": undo_id, "user_id": user.user_id, "library_id": user.default_library_id}
    found = session.execute(UNDO, values).one_or_none()
    if found is None:
        raise NotFoundError("There is nothing to undo. This may have been undone already.")
    if found.is_expired:
        raise UndoExpiredError("This was done more than an hour ago and can no longer be undone.")
    hold_many(session, session.scalars(ENTRIES, values).all())
    values |= {"decided_at": found.decided_at, "now": decide_time(session, None)}
    restored = {media_id for statement in RESTORE for media_id in session.scalars(statement, values)}
    session.execute(DELETE, values)
    notify(session, user.user_id, "shelf")
    notify_tags(session, user)
    return len(restored)


def delete_expired(session: Session) -> bool:
    """One of whichever user; False when there is none."""
    return session.execute(DELETE_EXPIRED).one_or_none() is not None
