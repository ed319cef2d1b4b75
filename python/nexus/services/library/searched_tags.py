"""Saved searches name the tags they look for, so they follow one that gets another name."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from nexus.db.models import SavedSearch
from nexus.errors import InvalidTagError
from nexus.services.library.tag_names import TagName, move_name, read_tag_name
from nexus.services.users import CurrentUser


def rename_in_searches(session: Session, user: CurrentUser, old: TagName, new: TagName) -> None:
    """Also the names below it, whether the user has such tags or not. The library is locked."""
    of_user = select(SavedSearch).where(SavedSearch.user_id == user.user_id)
    for search in session.scalars(of_user.with_for_update()).all():
        names = search.query.get("tag", [])
        moved = [_rename_tag(name, old, new) for name in names]
        if moved != names:
            search.query = search.query | {"tag": moved}
    session.flush()


def _rename_tag(typed: str, old: TagName, new: TagName) -> str:
    try:
        return move_name(read_tag_name(typed), old, new).name
    except InvalidTagError:
        return typed  # too long with the new name, so there is no such tag
