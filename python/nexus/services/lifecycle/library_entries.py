"""A media's place in a user's libraries: given to another media, or given up."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

REPLACE_ENTRY = text("""
    INSERT INTO library_media (library_id, media_id, created_at)
    SELECT libraries.id, :new_id, coalesce(old.created_at, now())
    FROM libraries LEFT JOIN library_media AS old ON old.library_id = libraries.id AND old.media_id = :old_id
    WHERE libraries.owner_user_id = :user_id AND (old.media_id IS NOT NULL OR libraries.is_default)
    ON CONFLICT DO NOTHING
""")
# Another item of the same user keeps the media in the library.
REMOVE_ENTRY = text("""
    DELETE FROM library_media USING libraries
    WHERE library_media.library_id = libraries.id AND libraries.owner_user_id = :user_id
      AND library_media.media_id = :media_id
      AND NOT EXISTS (SELECT FROM items WHERE items.media_id = :media_id AND items.user_id = :user_id)
""")
IS_REFERENCED = text("""
    SELECT EXISTS (SELECT FROM items WHERE items.media_id = :media_id)
        OR EXISTS (SELECT FROM library_media WHERE library_media.media_id = :media_id)
""")
DROP_MEDIA = text("DELETE FROM media WHERE id = :media_id")
IS_THEIRS = text("""
    SELECT EXISTS (SELECT FROM library_media JOIN libraries ON libraries.id = library_media.library_id
                   WHERE library_media.media_id = :media_id AND libraries.owner_user_id = :user_id)
""")
# What a user has answers under its own id.
DROP_OWN_ALIAS = text("DELETE FROM media_aliases WHERE alias_id = :media_id AND user_id = :user_id")
DROP_ALIASES = text("DELETE FROM media_aliases WHERE media_id = :media_id AND user_id = :user_id")
MOVE_ALIASES = text("UPDATE media_aliases SET media_id = :instead WHERE media_id = :media_id AND user_id = :user_id")
ADD_ALIAS = text("INSERT INTO media_aliases (alias_id, user_id, media_id) VALUES (:media_id, :user_id, :instead)")


def replace_entry(session: Session, user_id: UUID, old_id: UUID, new_id: UUID) -> None:
    session.execute(DROP_OWN_ALIAS, {"media_id": new_id, "user_id": user_id})
    session.execute(REPLACE_ENTRY, {"old_id": old_id, "new_id": new_id, "user_id": user_id})


def remove_entry(session: Session, user_id: UUID, media_id: UUID, *, instead: UUID | None = None) -> None:
    """After the item: off the libraries of a user who has no item of it any more; what is in no library is deleted.

    The ids under which the user knew it lead to what they have instead.
    """
    values = {"media_id": media_id, "user_id": user_id, "instead": instead}
    session.execute(REMOVE_ENTRY, values)
    if not session.scalar(IS_THEIRS, values):
        for statement in (MOVE_ALIASES, ADD_ALIAS) if instead is not None else (DROP_ALIASES,):
            session.execute(statement, values)
    if not session.scalar(IS_REFERENCED, values):
        session.execute(DROP_MEDIA, values)
