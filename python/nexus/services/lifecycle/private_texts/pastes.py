"""Pasted texts: a private media that is readable at once, and the text as it was pasted."""

from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotWaitingForTextError
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.locks import lock_item
from nexus.services.users import CurrentUser
from nexus.text.pasted_text import PastedText, read_paste

ADD_MEDIA = text("""
    INSERT INTO media (id, kind, owner_user_id, created_by_user_id, title, excerpt, word_count,
                       processing_status, processing_completed_at, current_version)
    VALUES (:media_id, 'pasted_text', :user_id, :user_id, :title, :excerpt, :word_count, 'ready_for_reading', now(), 1)
""")
ADD_VERSION = text("""
    INSERT INTO media_versions (media_id, version, origin, title, word_count)
    VALUES (:media_id, 1, 'pasted', :title, :word_count)
""")
ADD_FRAGMENT = text("""
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    VALUES (:media_id, 1, 0, :html, :words)
""")
STORE_PASTE = text("""
    INSERT INTO item_pastes (item_id, user_pasted_text) VALUES (:item_id, :words)
    ON CONFLICT (item_id) DO UPDATE SET user_pasted_text = excluded.user_pasted_text
""")
COMPLETE_ITEM = text("""
    UPDATE items SET status = 'succeeded', status_detail = NULL, final_text_source = 'user_pasted_text',
           media_id = :media_id, title = coalesce(title, :title)
    WHERE id = :item_id
""")


def add_pasted_media(session: Session, user: CurrentUser, page: PastedText) -> UUID:
    values = {"media_id": uuid4(), "user_id": user.user_id}
    about = {"title": page.title, "excerpt": page.excerpt, "word_count": page.word_count}
    session.execute(ADD_MEDIA, values | about)
    session.execute(ADD_VERSION, values | about)
    session.execute(ADD_FRAGMENT, values | {"html": page.html_sanitized, "words": page.canonical_text})
    return values["media_id"]


def store_paste(session: Session, item_id: UUID, pasted: str) -> None:
    """`pasted` has to be storable."""
    session.execute(STORE_PASTE, {"item_id": item_id, "words": pasted})


def paste_text(session: Session, user: CurrentUser, item_id: UUID, pasted: str) -> None:
    """The item succeeds with the user's own text, as a media that no other user can see."""
    old_id, status = lock_item(session, user.user_id, item_id)
    if status != "needs_user_text":
        raise NotWaitingForTextError(
            "This item does not need a text from you. You can paste one only while Nexus asks for it."
        )
    page = read_paste(pasted)
    new_id = add_pasted_media(session, user, page)
    store_paste(session, item_id, page.source)
    replace_entry(session, user.user_id, old_id, new_id)
    session.execute(COMPLETE_ITEM, {"item_id": item_id, "media_id": new_id, "title": page.title})
    remove_entry(session, user.user_id, old_id, instead=new_id)
