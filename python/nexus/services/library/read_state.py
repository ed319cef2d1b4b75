"""Whether a user has read a media."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.db.channels import STATUS
from nexus.errors import MediaNotReadyError
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.media import get_media
from nexus.services.users import CurrentUser

_OWN_ENTRY = f"{IS_OWN_ENTRY} AND library_media.media_id = :media_id"
MARK_READ = text(f"UPDATE library_media SET read_at = now() FROM libraries WHERE {_OWN_ENTRY} AND read_at IS NULL")  # noqa: S608 - our own constant
MARK_UNREAD = text(f"UPDATE library_media SET read_at = NULL FROM libraries WHERE {_OWN_ENTRY} AND read_at IS NOT NULL")  # noqa: S608
READ_AT = text(f"SELECT max(read_at) FROM library_media, libraries WHERE {_OWN_ENTRY}")  # noqa: S608
# For their other windows.
NOTIFY = text("SELECT pg_notify(:channel, CAST(:user_id AS uuid) || ':read:' || CAST(:media_id AS uuid))")


def get_read_at(session: Session, user: CurrentUser, media_id: UUID) -> datetime | None:
    values = {"user_id": user.user_id, "media_id": get_media(session, user, media_id).media.id}
    read_at: datetime | None = session.execute(READ_AT, values).scalar_one()
    return read_at


def mark_read(session: Session, user: CurrentUser, media_id: UUID) -> None:
    details = get_media(session, user, media_id)
    if not (details.capabilities.can_read or details.capabilities.can_play):
        raise MediaNotReadyError("This is not ready for reading yet, so it cannot have been read.")
    _mark(session, user, MARK_READ, details.media.id)


def mark_unread(session: Session, user: CurrentUser, media_id: UUID) -> None:
    _mark(session, user, MARK_UNREAD, get_media(session, user, media_id).media.id)


def _mark(session: Session, user: CurrentUser, statement: TextClause, media_id: UUID) -> None:
    values = {"user_id": user.user_id, "media_id": media_id}
    if session.execute(statement, values).rowcount:  # type: ignore[attr-defined] # an UPDATE always has one
        session.execute(NOTIFY, values | {"channel": STATUS})
