"""What a person has read, and what not yet."""

from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.db.channels import STATUS
from nexus.errors import MediaNotReadyError
from nexus.schemas.library import Reading
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.media import get_media
from nexus.services.users import CurrentUser

_OWN_ENTRY = f"{IS_OWN_ENTRY} AND library_media.media_id = :media_id"
READ = text(f"UPDATE library_media SET read_at = now() FROM libraries WHERE {_OWN_ENTRY} AND read_at IS NULL")  # noqa: S608 - our own constant
UNREAD = text(f"UPDATE library_media SET read_at = NULL FROM libraries WHERE {_OWN_ENTRY} AND read_at IS NOT NULL")  # noqa: S608
READ_AT = text(f"SELECT max(read_at) FROM library_media, libraries WHERE {_OWN_ENTRY}")  # noqa: S608
# For their other windows.
NOTIFY = text("SELECT pg_notify(:channel, CAST(:user_id AS uuid) || ':read:' || CAST(:media_id AS uuid))")


def get_reading(session: Session, user: CurrentUser, media_id: UUID) -> Reading:
    values = {"user_id": user.user_id, "media_id": get_media(session, user, media_id).media.id}
    return Reading(read_at=session.execute(READ_AT, values).scalar_one())


def mark_read(session: Session, user: CurrentUser, media_id: UUID) -> None:
    work = get_media(session, user, media_id)
    if not (work.capabilities.can_read or work.capabilities.can_play):
        raise MediaNotReadyError("This is not ready for reading yet, so it cannot have been read.")
    _mark(session, user, READ, work.media.id)


def mark_unread(session: Session, user: CurrentUser, media_id: UUID) -> None:
    _mark(session, user, UNREAD, get_media(session, user, media_id).media.id)


def _mark(session: Session, user: CurrentUser, statement: TextClause, media_id: UUID) -> None:
    values = {"user_id": user.user_id, "media_id": media_id}
    if session.execute(statement, values).rowcount:  # type: ignore[attr-defined] # an UPDATE always has one
        session.execute(NOTIFY, values | {"channel": STATUS})
