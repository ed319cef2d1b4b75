"""Saving a page as its user sees it, with what they selected, their tags and their note."""

from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.services.captures.annotations import annotate
from nexus.services.captures.new_capture import NewCapture
from nexus.services.captures.read_capture import ReadCapture
from nexus.services.library.library_lock import lock_library
from nexus.services.lifecycle import Article, AttemptRecord
from nexus.services.lifecycle.captures import CapturedText, write_capture
from nexus.services.lifecycle.records import MAX_FIELD_CHARS, MAX_TITLE_CHARS, article_of
from nexus.services.saving import SaveContext, check_item_link, find_saved
from nexus.services.users import CurrentUser
from nexus.text.characters import one_line, storable_start


@dataclass(frozen=True)
class SavedCapture:
    """`status`: that of the item, or "unchanged" where the user had this text already."""

    item_id: UUID
    media_id: UUID
    status: str


def check_capture(new: NewCapture, context: SaveContext) -> NewCapture:
    """The rules of saved links, though this one is never fetched."""
    return replace(new, url=check_item_link(new.url, context.allow).url)


def save_capture(
    session: Session,
    user: CurrentUser,
    context: SaveContext,
    new: NewCapture,
    read: ReadCapture,
    attempt: AttemptRecord,
) -> SavedCapture:
    """The link was checked, the page read: nothing here takes long."""
    earlier = find_saved(session, user, context.key) if context.key is not None else None
    if earlier:
        return SavedCapture(earlier.item_id, earlier.media_id, earlier.status)
    lock_library(session, user)
    article = _article(user, new, read)
    written = write_capture(
        session,
        user,
        CapturedText(new.url, article, attempt, context.request_id, item_id=new.item_id, key=context.key),
    )
    annotate(session, user, written, new, article.canonical_text, read.selected)
    return SavedCapture(written.item_id, written.media_id, "unchanged" if written.is_unchanged else "succeeded")


def _article(user: CurrentUser, new: NewCapture, read: ReadCapture) -> Article:
    article = article_of(read.page, new.url, "captured")
    title = one_line(new.title) if new.title else None
    return replace(
        article,
        title=article.title or storable_start(title, MAX_TITLE_CHARS) or None,
        lang=article.lang or storable_start(new.lang, MAX_FIELD_CHARS) or None,
        fetched_for=user.user_id,
    )
