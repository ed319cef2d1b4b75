"""Locks for what a user does with an item or a media: always the media first, then the item.

Holding a media (a shared lock) keeps it, and the user's entry of it, from being merged or removed. Several users can
hold it at once, so that changes of one user's own state do not wait for another's.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError
from nexus.services.access import is_readable
from nexus.services.users import CurrentUser

FIND_ITEM = text("SELECT media_id FROM items WHERE id = :item_id AND user_id = :user_id")
LOCK_ONE_MEDIA = text("SELECT FROM media WHERE id = :media_id FOR UPDATE")
HOLD_ONE_MEDIA = text("SELECT FROM media WHERE id = :media_id FOR KEY SHARE")
LOCK_ITEM = text("SELECT media_id, status FROM items WHERE id = :item_id FOR UPDATE")
# The id may be one under which this user knew a media that was merged away.
READABLE = text(f"""
    SELECT media.id FROM media
    WHERE media.id = coalesce((SELECT media_id FROM media_aliases
                             WHERE alias_id = :media_id AND user_id = :user_id), :media_id)
      AND {is_readable("media.id")}
""")  # noqa: S608 - our own constants
# By nothing but their ids, as workers do. A status may change while this waits, and PostgreSQL keeps the lock of a row
# that no longer matches a condition.
_MANY = "SELECT id FROM media WHERE id = ANY(:ids) ORDER BY id"
LOCK_MANY = text(f"{_MANY} FOR UPDATE")
HOLD_MANY = text(f"{_MANY} FOR KEY SHARE")


def lock_item(session: Session, user_id: UUID, item_id: UUID) -> tuple[UUID, str]:
    """The item's media and status. A merge may give the item another media while this waits."""
    while True:
        media_id = find_media_of_item(session, user_id, item_id)
        with session.begin_nested() as attempt:
            lock_one_media(session, media_id)
            item = session.execute(LOCK_ITEM, {"item_id": item_id}).one_or_none()
            if item is not None and item.media_id == media_id:
                return media_id, item.status
            attempt.rollback()  # with the item locked first, the next round would take its locks in the wrong order


def find_media_of_item(session: Session, user_id: UUID, item_id: UUID) -> UUID:
    media_id: UUID | None = session.scalar(FIND_ITEM, {"item_id": item_id, "user_id": user_id})
    if media_id is None:
        raise NotFoundError("There is no such item in your library.")
    return media_id


def lock_one_media(session: Session, media_id: UUID) -> bool:
    """False when it is gone."""
    return session.execute(LOCK_ONE_MEDIA, {"media_id": media_id}).one_or_none() is not None


def lock_many(session: Session, media_ids: Sequence[UUID]) -> set[UUID]:
    """Those that are still there."""
    return set(session.scalars(LOCK_MANY, {"ids": list(media_ids)}))


def hold_many(session: Session, media_ids: Sequence[UUID]) -> set[UUID]:
    """Those that are still there."""
    return set(session.scalars(HOLD_MANY, {"ids": list(media_ids)}))


def hold_readable(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    """The media behind an id. It may be merged away or removed while this waits."""
    while True:
        found = find_readable(session, user, media_id)
        is_there = session.execute(HOLD_ONE_MEDIA, {"media_id": found}).one_or_none() is not None
        if is_there and find_readable(session, user, media_id) == found:
            return found


def lock_readable(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    """The media behind an id. It may be merged away while this waits."""
    while True:
        found = find_readable(session, user, media_id)
        if lock_one_media(session, found):
            return found


def find_readable(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    found: UUID | None = session.scalar(READABLE, {"media_id": media_id, "user_id": user.user_id})
    if found is None:
        raise NotFoundError("There is no such media in your library.")
    return found
