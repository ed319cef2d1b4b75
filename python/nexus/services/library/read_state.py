"""Whether a user has read a media."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.access import IS_OWN_ENTRY
from nexus.services.library.changes import EntryUpdate, change_entry
from nexus.services.media import get_media
from nexus.services.users import CurrentUser

READ_AT = text(f"""
    SELECT max(read_at) FROM library_media, libraries WHERE {IS_OWN_ENTRY} AND library_media.media_id = :media_id
""")  # noqa: S608 - our own constant


def get_read_at(session: Session, user: CurrentUser, media_id: UUID) -> datetime | None:
    values = {"user_id": user.user_id, "media_id": get_media(session, user, media_id).id}
    read_at: datetime | None = session.execute(READ_AT, values).scalar_one()
    return read_at


def mark_read(session: Session, user: CurrentUser, media_id: UUID) -> None:
    change_entry(session, user, media_id, EntryUpdate({"read": True}))


def mark_unread(session: Session, user: CurrentUser, media_id: UUID) -> None:
    change_entry(session, user, media_id, EntryUpdate({"read": False}))
