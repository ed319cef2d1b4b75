"""Removing an item or a media from a user's library."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import ChangedSinceError
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.locks import find_media_of_item, find_readable, lock_many
from nexus.services.users import CurrentUser

# Saving is a decision, too.
CHANGED_SINCE = text(f"""
    SELECT EXISTS (
        SELECT FROM library_media, libraries
        WHERE {IS_OWN_ENTRY} AND library_media.media_id = ANY(:ids)
          AND (greatest(library_media.created_at, read_decided_at, archived_decided_at, starred_decided_at,
                        title_decided_at, note_decided_at, tags_decided_at) > :client_time
               OR EXISTS (SELECT FROM entry_tags WHERE entry_tags.library_id = library_media.library_id
                          AND entry_tags.media_id = library_media.media_id AND decided_at > :client_time)
               OR EXISTS (SELECT FROM highlights WHERE highlights.library_id = library_media.library_id
                          AND highlights.media_id = library_media.media_id
                          AND greatest(place_decided_at, color_decided_at, highlights.note_decided_at,
                                       highlights.tags_decided_at, deletion_decided_at) > :client_time))
    )
""")  # noqa: S608 - our own constant
# Fetches of these items that are queued or under way.
FETCHES = text("""
    SELECT refetch.media_id FROM items JOIN items AS refetch ON refetch.fetch_again_of = items.id
    WHERE items.user_id = :user_id AND items.media_id = ANY(:ids)
""")
# The episode before its media, the order of podcast runs, one of which may be saving it at this moment.
LOCK_EPISODES = text("SELECT FROM episodes WHERE media_id = ANY(:ids) ORDER BY id FOR UPDATE")
REMEMBER_REMOVALS = text("""
    INSERT INTO episode_removals (user_id, episode_id) SELECT :user_id, id FROM episodes WHERE media_id = ANY(:ids)
    ON CONFLICT DO NOTHING
""")
REMOVE = (
    text("DELETE FROM items WHERE media_id = ANY(:ids) AND user_id = :user_id"),
    text(f"DELETE FROM library_media USING libraries WHERE {IS_OWN_ENTRY} AND library_media.media_id = ANY(:ids)"),  # noqa: S608
    text("DELETE FROM positions WHERE media_id = ANY(:ids) AND user_id = :user_id"),
    text("DELETE FROM media_aliases WHERE media_id = ANY(:ids) AND user_id = :user_id"),
    # Media that are no longer in any library.
    text("""
        DELETE FROM media WHERE id = ANY(:ids)
          AND NOT EXISTS (SELECT FROM items WHERE items.media_id = media.id)
          AND NOT EXISTS (SELECT FROM library_media WHERE library_media.media_id = media.id)
    """),
)


def require_unchanged(
    session: Session, user: CurrentUser, media_ids: Sequence[UUID], client_time: datetime | None
) -> None:
    """Raises if an entry was changed after `client_time`, when the removal was requested. The media have to be
    locked."""
    values = {"ids": list(media_ids), "user_id": user.user_id, "client_time": client_time}
    if client_time is not None and session.scalar(CHANGED_SINCE, values):
        raise ChangedSinceError("This was changed after you deleted it, on another device, so it was kept.")


def remove_item(session: Session, user: CurrentUser, item_id: UUID, client_time: datetime | None = None) -> None:
    """Remove an item with all other items of this user that have the same media. A media in no library is deleted."""
    _remove_one(session, user, lambda: find_media_of_item(session, user.user_id, item_id), client_time)


def remove_media(session: Session, user: CurrentUser, media_id: UUID, client_time: datetime | None = None) -> None:
    """Remove a media by its id, since an episode has no item. Later podcast runs do not add it again."""
    _remove_one(session, user, lambda: find_readable(session, user, media_id), client_time)


def _remove_one(session: Session, user: CurrentUser, find: Callable[[], UUID], client_time: datetime | None) -> None:
    while True:
        found = find()
        with session.begin_nested() as attempt:
            if lock_removed(session, user, [found]) and find() == found:
                break
            attempt.rollback()  # it was merged, or a fetch began, while this waited for the locks
    remove_many(session, user, [found], client_time)


def lock_removed(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> set[UUID]:
    """The media that still exist; none if a fetch began while this waited for the locks."""
    values = {"ids": list(media_ids), "user_id": user.user_id}
    fetches = set(session.scalars(FETCHES, values))
    session.execute(LOCK_EPISODES, values)
    there = lock_many(session, [*media_ids, *fetches]).intersection(media_ids)
    return there if set(session.scalars(FETCHES, values)) == fetches else set()


def remove_many(
    session: Session, user: CurrentUser, media_ids: Sequence[UUID], client_time: datetime | None = None
) -> None:
    """The media have to be in the user's library, and locked by `lock_removed`."""
    values = {"ids": list(media_ids), "user_id": user.user_id}
    require_unchanged(session, user, media_ids, client_time)
    session.execute(REMEMBER_REMOVALS, values)
    for statement in REMOVE:
        session.execute(statement, values)
