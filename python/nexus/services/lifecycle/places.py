"""A media's place in a user's libraries: given to another media, or given up."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

SHELVE_INSTEAD = text("""
    INSERT INTO library_media (library_id, media_id, created_at)
    SELECT libraries.id, :new_id, coalesce(old.created_at, now())
    FROM libraries LEFT JOIN library_media AS old ON old.library_id = libraries.id AND old.media_id = :old_id
    WHERE libraries.owner_user_id = :user_id AND (old.media_id IS NOT NULL OR libraries.is_default)
    ON CONFLICT DO NOTHING
""")
# Another item of the same user keeps the media in the library.
TAKE_OFF_SHELF = text("""
    DELETE FROM library_media USING libraries
    WHERE library_media.library_id = libraries.id AND libraries.owner_user_id = :user_id
      AND library_media.media_id = :media_id
      AND NOT EXISTS (SELECT FROM items WHERE items.media_id = :media_id AND items.user_id = :user_id)
""")
IS_SOMEBODYS = text("""
    SELECT EXISTS (SELECT FROM items WHERE items.media_id = :media_id)
        OR EXISTS (SELECT FROM library_media WHERE library_media.media_id = :media_id)
""")
DROP_WORK = text("DELETE FROM media WHERE id = :media_id")
MOVE_ALIASES = text("UPDATE media_aliases SET media_id = :new_id WHERE media_id = :old_id")
ADD_ALIAS = text("INSERT INTO media_aliases (alias_id, media_id) VALUES (:old_id, :new_id)")


def shelve_instead(session: Session, user_id: UUID, old_id: UUID, new_id: UUID) -> None:
    session.execute(SHELVE_INSTEAD, {"old_id": old_id, "new_id": new_id, "user_id": user_id})


def let_go(session: Session, user_id: UUID, media_id: UUID, *, instead: UUID | None = None) -> None:
    """After the item: off the libraries of a user who has no item of it any more; what is in no library is deleted."""
    session.execute(TAKE_OFF_SHELF, {"media_id": media_id, "user_id": user_id})
    if session.scalar(IS_SOMEBODYS, {"media_id": media_id}):
        return
    if instead is not None:
        session.execute(MOVE_ALIASES, {"old_id": media_id, "new_id": instead})
        session.execute(ADD_ALIAS, {"old_id": media_id, "new_id": instead})
    session.execute(DROP_WORK, {"media_id": media_id})
