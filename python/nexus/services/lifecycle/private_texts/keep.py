"""Keeps a short text as a private copy, so that other users can still get a better one."""

from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NothingToKeepError, NotWaitingForTextError
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.locks import lock_item
from nexus.services.originals.pending_originals import copy_original
from nexus.services.users import CurrentUser

# Without the canonical URL, which only a shared media may own.
COPY_MEDIA = text("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, requested_url, declared_url, title, byline,
                       site_name, lang, published_at, excerpt, word_count, lead_image_url, processing_status,
                       processing_attempts, processing_completed_at, current_version)
    SELECT :new_id, media.kind, items.user_id, items.user_id, items.requested_url, declared_url, media.title, byline,
           site_name, lang, media.published_at, excerpt, word_count, lead_image_url, 'ready_for_reading',
           items.attempts, now(), 1
    FROM media JOIN items ON items.media_id = media.id
    WHERE items.id = :item_id AND media.kind = 'web_article' AND media.processing_status = 'ready_for_reading'
    RETURNING id
""")
COPY_VERSION = text("""
    INSERT INTO media_versions (media_id, version, origin, extractor, title, word_count, created_at)
    SELECT :new_id, 1, origin, extractor, media_versions.title, media_versions.word_count, media_versions.created_at
    FROM media JOIN media_versions ON media_id = media.id AND version = current_version WHERE media.id = :old_id
""")
COPY_FRAGMENTS = text("""
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text, start_ms, end_ms)
    SELECT :new_id, 1, idx, html_sanitized, canonical_text, start_ms, end_ms
    FROM media JOIN fragments ON media_id = media.id AND version = current_version WHERE media.id = :old_id
""")
KEEP_ITEM = text("""
    UPDATE items SET status = 'succeeded', status_detail = NULL, final_text_source = 'extracted_from_url',
           media_id = :new_id
    WHERE id = :item_id
""")


def keep_text(session: Session, user: CurrentUser, item_id: UUID) -> None:
    """The item succeeds with the short text; the items of other users still wait for a better one."""
    old_id, status = lock_item(session, user.user_id, item_id)
    if status != "needs_user_text":
        raise NotWaitingForTextError(
            "This item does not need a decision: Nexus asks whether to keep a text only when it is very short."
        )
    values = {"new_id": uuid4(), "old_id": old_id, "item_id": item_id}
    if session.execute(COPY_MEDIA, values).one_or_none() is None:
        raise NothingToKeepError(
            "No text of this page could be read, so there is none to keep. Paste it, or try again."
        )
    session.execute(COPY_VERSION, values)
    session.execute(COPY_FRAGMENTS, values)
    copy_original(session, values["old_id"], values["new_id"])
    session.execute(KEEP_ITEM, values)
    replace_entry(session, user.user_id, old_id, values["new_id"])
    remove_entry(session, user.user_id, old_id, instead=values["new_id"])
