"""The tags of a highlight: the user's own, as entries have them."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import TooManyTagsError
from nexus.services.library.tag_names import read_tag_names
from nexus.services.library.tags import ensure_tags, tags_by_key
from nexus.services.users import CurrentUser

MAX_TAGS_OF_HIGHLIGHT = 100

REMOVE_OTHERS = text("""
    DELETE FROM highlight_tags
    WHERE library_id = :library_id AND highlight_id = :id AND tag_id <> ALL(CAST(:tag_ids AS uuid[]))
""")
ADD = text("""
    INSERT INTO highlight_tags (library_id, highlight_id, tag_id, created_at)
    SELECT library_id, id, tag_id, created_at FROM highlights, unnest(CAST(:tag_ids AS uuid[])) AS given(tag_id)
    WHERE library_id = :library_id AND id = :id
    ON CONFLICT DO NOTHING
""")


def set_tags(session: Session, user: CurrentUser, highlight_id: UUID, names: Collection[str]) -> None:
    """These and no others. The library is locked."""
    wanted = read_tag_names(names)
    if len(wanted) > MAX_TAGS_OF_HIGHLIGHT:
        raise TooManyTagsError(f"A highlight has at most {MAX_TAGS_OF_HIGHLIGHT} tags; remove some first.")
    tag_ids = list(ensure_tags(session, user, tags_by_key(session, user), wanted).values())
    values = {"library_id": user.default_library_id, "id": highlight_id, "tag_ids": tag_ids}
    session.execute(REMOVE_OTHERS, values)
    if tag_ids:
        session.execute(ADD, values)
