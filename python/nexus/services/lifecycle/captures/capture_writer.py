"""Writes a captured page: as a new private media, or as the next version of the private media that its user already
has.

In one transaction. A worker that is reading the same item at that moment no longer passes its fence.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.db.text_key import text_key
from nexus.services.lifecycle.captures.existing_page import ExistingPage, lock_existing_page
from nexus.services.lifecycle.fetch_again import MOVE_TO_TOP, NOTE_SAVED_AGAIN
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.lifecycle.records import Article, AttemptRecord
from nexus.services.lifecycle.settlement import write_receipts
from nexus.services.lifecycle.versions import CurrentText, NewText, current_texts, write_texts
from nexus.services.users import CurrentUser

ADD_MEDIA = text("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, requested_url, captured_url_key)
    VALUES (:media_id, 'web_article', :user_id, :user_id, :url, :url_key)
""")
# Including a short text that the user kept.
NAME_PAGE = text("UPDATE media SET captured_url_key = :url_key, requested_url = :url WHERE id = :media_id")
ADD_ITEM = text("""
    INSERT INTO items (id, user_id, media_id, status, source_type, requested_url, url_key, final_text_source, title,
                       request_id, save_key)
    SELECT :item_id, :user_id, id, 'succeeded', 'url', :url, :url_key, 'extracted_from_url', title, :request_id,
           :save_key
    FROM media WHERE id = :media_id
""")
ADD_ENTRY = text("INSERT INTO library_media (library_id, media_id) VALUES (:library_id, :media_id)")
COMPLETE_ITEMS = text(f"""
    UPDATE items
    SET media_id = media.id, status = 'succeeded', status_detail = NULL, final_text_source = 'extracted_from_url',
        title = media.title, {UNCLAIMED}, published_at = NULL, losses = 0
    FROM media WHERE media.id = :media_id AND items.id = ANY(:items)
""")  # noqa: S608 - our own constant
# Repeated fetches for these items are deleted, since they would not give what the user saw. A trigger deletes their
# media.
DELETE_FETCHES = text("DELETE FROM items WHERE fetch_again_of = ANY(:items)")
NAME_SAVE = text(
    "UPDATE items SET save_key = coalesce(:save_key, save_key), request_id = :request_id WHERE id = :item_id"
)


@dataclass(frozen=True)
class CapturedText:
    """`item_id`: the item that the request named, if any."""

    url: str
    article: Article
    attempt: AttemptRecord
    request_id: str
    item_id: UUID | None = None
    key: str | None = None


@dataclass(frozen=True)
class WrittenCapture:
    item_id: UUID
    media_id: UUID
    version: int
    is_unchanged: bool = False  # its text is the same as that of the version before


def write_capture(session: Session, user: CurrentUser, captured: CapturedText) -> WrittenCapture:
    """The library has to be locked."""
    keys = [text_key(captured.article.canonical_url), text_key(captured.url)]
    existing = lock_existing_page(session, user, keys=keys, item_id=captured.item_id)
    values: dict[str, Any] = {
        "user_id": user.user_id, "library_id": user.default_library_id, "url": captured.url, "url_key": keys[0],
        "request_id": captured.request_id, "save_key": text_key(captured.key) if captured.key is not None else None,
        "items": existing.items, "media_id": existing.target or uuid4(),
    }  # fmt: skip
    version, is_unchanged = _write_text(session, captured, existing, values)
    if existing.items:
        values["item_id"] = existing.items[0]
        session.execute(DELETE_FETCHES, values)
        session.execute(COMPLETE_ITEMS, values)
        session.execute(NAME_SAVE, values)
    else:
        values["item_id"] = uuid4()
        session.execute(ADD_ITEM, values)
        session.execute(ADD_ENTRY, values)
    # The state, tags, highlights and positions of their entries are moved, too.
    for other in existing.others:
        replace_entry(session, user.user_id, other, values["media_id"])
        remove_entry(session, user.user_id, other, instead=values["media_id"])
    if existing.items and captured.item_id is None:
        session.execute(NOTE_SAVED_AGAIN, values)
        session.execute(MOVE_TO_TOP, values)
    write_receipts(session, [(values["item_id"], [captured.attempt])])
    return WrittenCapture(values["item_id"], values["media_id"], version, is_unchanged)


def _write_text(
    session: Session, captured: CapturedText, existing: ExistingPage, values: dict[str, Any]
) -> tuple[int, bool]:
    """The version that has the text, and whether it existed before."""
    read_at = captured.attempt.finished_at
    if existing.target is None:
        session.execute(ADD_MEDIA, values)
        write_texts(session, [NewText(values["media_id"], 1, captured.article, read_at)])
        return 1, False
    session.execute(NAME_PAGE, values)
    current = current_texts(session, [existing.target])[existing.target]
    if _is_same(current, captured.article):
        return current.version, True
    new = current.followed_by(captured.article, read_at)
    write_texts(session, [new])
    return new.version, False


def _is_same(current: CurrentText, article: Article) -> bool:
    return current.text == article.canonical_text or current.text.split() == article.canonical_text.split()
