"""What a user decides about an entry: read, archived, starred, a title and a note of their own.

Each of these remembers when it was decided, so that a decision that was made earlier without a connection, and comes
later, changes nothing. So does each of its tags (entry_tags.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, TextClause, text
from sqlalchemy.orm import Session

from nexus.errors import MediaNotReadyError
from nexus.services.library.entries import Entry, get_entry
from nexus.services.library.entry_tags import TagChanges, decide_tags
from nexus.services.library.library_lock import decide_time, lock_library
from nexus.services.library.tags import notify_tags
from nexus.services.locks import hold_readable
from nexus.services.notifications import notify_of_media
from nexus.services.users import CurrentUser
from nexus.text.characters import one_line, storable


def _decide(part: str, value: str, also: str = "") -> TextClause:
    """Returns the entries that are different now."""
    return text(f"""
        WITH decided AS (
            SELECT library_id, media_id, {part} AS earlier, last_read_at AS earlier_read FROM library_media
            WHERE library_id = :library_id AND media_id = ANY(:ids)
              AND coalesce({_decided(part)}, '-infinity') <= :decided_at
        )
        UPDATE library_media AS entry SET {part} = {value}, {_decided(part)} = :decided_at{also}
        FROM decided WHERE entry.library_id = decided.library_id AND entry.media_id = decided.media_id
        RETURNING entry.media_id, entry.{part} IS DISTINCT FROM decided.earlier AS is_different, decided.earlier,
                  decided.earlier_read
    """)  # noqa: S608 - our own words


def _decided(part: str) -> str:
    return f"{part.removesuffix('_at').removeprefix('own_')}_decided_at"


def _switch(part: str, also: str = "") -> TextClause:
    return _decide(part, f"CASE WHEN :value THEN coalesce(entry.{part}, :decided_at) END", also)


DECIDE: Mapping[str, TextClause] = {
    "read": _switch(
        "read_at",
        ", last_read_at = CASE WHEN :value AND read_at IS NULL THEN greatest(last_read_at, :decided_at)"
        " ELSE last_read_at END",
    ),
    "archived": _switch("archived_at"),
    "starred": _switch("starred_at"),
    "title": _decide("own_title", ":value"),
    "note": _decide("note", ":value"),
}
IS_READY = text("SELECT processing_status = 'ready_for_reading' FROM media WHERE id = :media_id")


@dataclass(frozen=True)
class EntryUpdate:
    """`set`: the new values, by the names of DECIDE. A title or a note that is blank is taken away."""

    set: Mapping[str, Any] = field(default_factory=dict)
    tags: TagChanges = field(default_factory=TagChanges)
    client_time: datetime | None = None  # None: now


def change_entry(session: Session, user: CurrentUser, media_id: UUID, changes: EntryUpdate) -> Entry:
    lock_library(session, user)
    found = hold_readable(session, user, media_id)
    if changes.set.get("read") and not session.scalar(IS_READY, {"media_id": found}):
        raise MediaNotReadyError("This is not ready for reading yet, so it cannot have been read.")
    decided_at = decide_time(session, changes.client_time)
    different = {part for part, value in changes.set.items() if decide(session, user, part, value, [found], decided_at)}
    if changes.tags and decide_tags(session, user, changes.tags, [found], decided_at).media_ids:
        different.add("tags")
        notify_tags(session, user)  # how many have them
    # For the user's other windows and devices. Being read has an event of its own, which says when.
    if "read" in different:
        notify_of_media(session, user.user_id, "read", found)
    if different - {"read"}:
        notify_of_media(session, user.user_id, "entry", found)
    return get_entry(session, user, found)


def decide(
    session: Session, user: CurrentUser, part: str, value: Any, media_ids: Sequence[UUID], decided_at: datetime
) -> list[Row[Any]]:
    """The entries that are different now, with what was earlier. The media are held."""
    values = {
        "library_id": user.default_library_id,
        "ids": list(media_ids),
        "value": _stored(part, value),
        "decided_at": decided_at,
    }
    return [row for row in session.execute(DECIDE[part], values) if row.is_different]


def _stored(part: str, value: Any) -> Any:
    """A title is one line."""
    if not isinstance(value, str):
        return value
    return (one_line(value) if part == "title" else storable(value).strip()) or None
