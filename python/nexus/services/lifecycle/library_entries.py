"""A user's library entry of a media: given to another media, or removed."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.access import IS_OWN_ENTRY, is_readable
from nexus.services.lifecycle.entry_state import (
    JOIN_STATE,
    JOIN_TAGS,
    STATE,
    lock_entries,
    move_highlights,
    move_undos,
)
from nexus.services.lifecycle.positions import delete_position, move_positions

REPLACE_ENTRY = text(f"""
    INSERT INTO library_media AS kept (library_id, media_id, created_at, {STATE})
    SELECT libraries.id, :new_id, coalesce(old.created_at, now()), {STATE}
    FROM libraries LEFT JOIN library_media AS old ON old.library_id = libraries.id AND old.media_id = :old_id
    WHERE libraries.owner_user_id = :user_id AND (old.media_id IS NOT NULL OR libraries.is_default)
    ON CONFLICT (library_id, media_id) DO UPDATE SET {JOIN_STATE}
""")  # noqa: S608 - our own constants
COPY_TAGS = text(
    JOIN_TAGS.format(
        new_id=":new_id",
        old="JOIN libraries ON libraries.id = library_id"
        " WHERE libraries.owner_user_id = :user_id AND library_media.media_id = :old_id",
    )
)
# Not if another item of the same user still has this media.
REMOVE_ENTRY = text(f"""
    DELETE FROM library_media USING libraries
    WHERE {IS_OWN_ENTRY} AND library_media.media_id = :media_id
      AND NOT EXISTS (SELECT FROM items WHERE items.media_id = :media_id AND items.user_id = :user_id)
""")  # noqa: S608 - our own constants
IS_READABLE = text(f"SELECT {is_readable(':media_id')}")
IS_REFERENCED = text("""
    SELECT EXISTS (SELECT FROM items WHERE items.media_id = :media_id)
        OR EXISTS (SELECT FROM library_media WHERE library_media.media_id = :media_id)
""")
DELETE_MEDIA = text("DELETE FROM media WHERE id = :media_id")
# A media in the user's library is found by its own id, so an alias is not needed.
DELETE_OWN_ALIAS = text("DELETE FROM media_aliases WHERE alias_id = :media_id AND user_id = :user_id")
DELETE_ALIASES = text("DELETE FROM media_aliases WHERE media_id = :media_id AND user_id = :user_id")
MOVE_ALIASES = text("UPDATE media_aliases SET media_id = :instead WHERE media_id = :media_id AND user_id = :user_id")
ADD_ALIAS = text("INSERT INTO media_aliases (alias_id, user_id, media_id) VALUES (:media_id, :user_id, :instead)")


def replace_entry(session: Session, user_id: UUID, old_id: UUID, new_id: UUID) -> None:
    session.execute(DELETE_OWN_ALIAS, {"media_id": new_id, "user_id": user_id})
    lock_entries(session, [(old_id, new_id)], user_id)
    for statement in (REPLACE_ENTRY, COPY_TAGS):
        session.execute(statement, {"old_id": old_id, "new_id": new_id, "user_id": user_id})
    move_highlights(session, [(old_id, new_id)], user_id)
    move_positions(session, [(old_id, new_id)], user_id)
    move_undos(session, [(old_id, new_id)], user_id)


def remove_entry(session: Session, user_id: UUID, media_id: UUID, *, instead: UUID | None = None) -> None:
    """After the item, unless the user has another item of this media. A media in no library is deleted.

    The ids under which the user knew it lead to `instead`.
    """
    values = {"media_id": media_id, "user_id": user_id, "instead": instead}
    session.execute(REMOVE_ENTRY, values)
    if not session.scalar(IS_READABLE, values):
        delete_position(session, user_id, media_id)
        for statement in (MOVE_ALIASES, ADD_ALIAS) if instead is not None else (DELETE_ALIASES,):
            session.execute(statement, values)
    if not session.scalar(IS_REFERENCED, values):
        session.execute(DELETE_MEDIA, values)
