"""Imported texts of pages that cannot be read. Like pasted texts they become a private media."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.locks import lock_item
from nexus.text.imports.imported_text import ImportedText

USED = "The text that came with the import was used."
UNREADABLE = "The text that came with the import could not be read. Retry to fetch the page, or paste the text."

OLD_TEXT = text("""
    SELECT coalesce(sum(char_length(canonical_text)), 0) FROM media
    JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = :old_id
""")
ADD_MEDIA = text("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, requested_url, title, byline, site_name, lang,
                       published_at, excerpt, word_count, processing_status, processing_attempts,
                       processing_completed_at, current_version)
    SELECT :new_id, CASE WHEN requested_url IS NULL THEN 'pasted_text' ELSE 'web_article' END, user_id, user_id,
           requested_url, :title, :byline, :site_name, :lang, :published_at, :excerpt, :word_count,
           'ready_for_reading', attempts, now(), 1
    FROM items WHERE id = :item_id
""")
ADD_VERSION = text("""
    INSERT INTO media_versions (media_id, version, origin, title, word_count)
    VALUES (:new_id, 1, 'imported', :title, :word_count)
""")
ADD_FRAGMENT = text("""
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    VALUES (:new_id, 1, 0, :html, :words)
""")
COMPLETE_ITEM = text("""
    UPDATE items
    SET status = 'succeeded', status_detail = :detail, media_id = :new_id, title = coalesce(:title, title),
        final_text_source = CASE WHEN requested_url IS NULL THEN 'user_pasted_text' ELSE 'extracted_from_url' END
    WHERE id = :item_id
""")
NOTE = text("""
    UPDATE items SET status_detail = :detail WHERE id = :item_id AND status IN ('needs_user_text', 'failed')
""")


@dataclass(frozen=True)
class AboutText:
    """What the imported file says about the text."""

    title: str | None = None
    byline: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None


def use_imported_text(
    session: Session, user_id: UUID, item_id: UUID, page: ImportedText, about: AboutText
) -> UUID | None:
    """The item's new media; None if it no longer needs a text, or already has a longer one that its user can keep."""
    try:
        old_id, status = lock_item(session, user_id, item_id)
    except NotFoundError:
        return None  # removed meanwhile
    values: dict[str, Any] = {"new_id": uuid4(), "old_id": old_id, "item_id": item_id, "detail": USED}
    if status not in ("needs_user_text", "failed") or session.scalars(OLD_TEXT, values).one() >= len(
        page.canonical_text
    ):
        return None
    values |= vars(about) | {"excerpt": page.excerpt, "word_count": page.word_count}
    session.execute(ADD_MEDIA, values)
    session.execute(ADD_VERSION, values)
    session.execute(ADD_FRAGMENT, values | {"html": page.html_sanitized, "words": page.canonical_text})
    replace_entry(session, user_id, old_id, values["new_id"])
    session.execute(COMPLETE_ITEM, values)
    remove_entry(session, user_id, old_id, instead=values["new_id"])
    new_id: UUID = values["new_id"]
    return new_id


def note_unreadable_text(session: Session, item_id: UUID) -> None:
    session.execute(NOTE, {"item_id": item_id, "detail": UNREADABLE})
