"""Settles a repeated fetch of a readable media: its text is replaced only by one that is not worse.

The fetch is a separate row in the queue (`items.fetch_again_of`) with its own media, so that the original item
(the parent) stays as it is meanwhile. The fetch's attempts belong to the parent's receipt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.lifecycle.ownership import owners_of
from nexus.services.lifecycle.records import Claim, Failed, Result, Succeeded
from nexus.services.lifecycle.versions import (
    ADDED,
    CurrentText,
    NewText,
    add_reading,
    current_texts,
    read_status,
    write_texts,
)
from nexus.text.readings.compare import Change, is_same_page

NOTES: dict[Change, str] = {
    "same": "The page was fetched again; its text is the same.",
    "better": "The page was fetched again; it has more text now. The text you had is its earlier version.",
    "different": "The page was fetched again; its text has changed. The text you had is its earlier version.",
    "worse": "The page was fetched again, but gave less text. The text you have was kept.",
}
ANOTHER_PAGE = "The link now leads to another page. The text you have was kept."
FAILED = "The page could not be fetched again. The text you have was kept."

# `is_at`: its media has no URL of its own, because it is private, and the link led straight to the page.
PARENT = text("""
    SELECT items.user_id, media_id, status, final_text_source,
           media.canonical_url IS NULL AND coalesce(url_key, text_key(items.requested_url)) = :url_key AS is_at
    FROM items JOIN media ON media.id = media_id WHERE items.id = :item_id
""")
TEXT_SOURCE = text("SELECT final_text_source FROM items WHERE id = :item_id")
MOVE_ITEM = text("""
    UPDATE items
    SET media_id = :media_id, status = :status, final_text_source = :source, status_detail = :detail,
        title = media.title
    FROM media WHERE items.id = :item_id AND media.id = :media_id
""")
NOTE = text("""
    UPDATE items SET status_detail = coalesce(:note, status_detail), attempts = attempts + 1,
           max_attempts = greatest(max_attempts, attempts + 1)
    WHERE id = :item_id
""")
# A trigger deletes its media as well, unless that is readable by now.
DELETE_FETCH = text("DELETE FROM items WHERE id = :item_id")
# Its own media is locked as well, in the order of removing the parent. What is locked already is left for the next
# sweep.
LOST_FETCHES = text("""
    SELECT refetch.id, refetch.fetch_again_of
    FROM items AS refetch JOIN items AS parent ON parent.id = refetch.fetch_again_of
    JOIN media ON media.id = refetch.media_id
    WHERE refetch.fetch_again_of IS NOT NULL AND refetch.status NOT IN ('queued', 'processing')
    FOR UPDATE OF media, refetch, parent SKIP LOCKED
""")


@dataclass(frozen=True)
class FinishedFetch:
    """A fetch that ended, and the item it was for."""

    parent_id: UUID
    outcome: Succeeded | Failed


@dataclass(frozen=True)
class Owner:
    """The media that owns the page's URL, after the reading was added. `change`: how the reading differs from its
    text."""

    text: CurrentText
    change: Change


@dataclass(frozen=True)
class FetchResult:
    result: Result
    note: str | None = None  # for the parent


def settle_fetches(session: Session, fetches: Sequence[FinishedFetch], min_chars: int) -> dict[Claim, Result]:
    """The parents and their media have to be locked."""
    return {fetch.outcome.claim: _settle(session, fetch, min_chars) for fetch in fetches}


def delete_lost_fetches(session: Session) -> None:
    """Delete fetches that lost their worker too often. Their attempts are already in the receipt."""
    for item_id, parent_id in session.execute(LOST_FETCHES).all():
        source = session.scalar(TEXT_SOURCE, {"item_id": parent_id})
        session.execute(NOTE, {"item_id": parent_id, "note": FAILED if _reads_page(source) else None})
        session.execute(DELETE_FETCH, {"item_id": item_id})


def _settle(session: Session, fetch: FinishedFetch, min_chars: int) -> Result:
    outcome = fetch.outcome
    if isinstance(outcome, Succeeded):
        fetch_result = _settle_read(session, fetch.parent_id, outcome, min_chars)
    else:
        reads_page = _reads_page(session.scalar(TEXT_SOURCE, {"item_id": fetch.parent_id}))
        fetch_result = FetchResult("failed", FAILED if reads_page else None)
    session.execute(NOTE, {"item_id": fetch.parent_id, "note": fetch_result.note})
    session.execute(DELETE_FETCH, {"item_id": outcome.claim.item_id})
    return fetch_result.result


def _settle_read(session: Session, parent_id: UUID, outcome: Succeeded, min_chars: int) -> FetchResult:
    """Compare with the media that owns the URL, for all users who have it; then with the parent's, if it is another."""
    values = {"item_id": parent_id, "url_key": text_key(outcome.article.canonical_url)}
    parent = session.execute(PARENT, values).one()
    own = current_texts(session, [parent.media_id])[parent.media_id]
    owner = _add_to_owner(session, outcome, min_chars)
    result: Result = "new_version" if owner and owner.change in ADDED else "unchanged"
    if owner and owner.text.media_id == own.media_id:
        return FetchResult(result, NOTES[owner.change] if _reads_page(parent.final_text_source) else None)
    if _reads_page(parent.final_text_source):
        if not (parent.is_at or is_same_page(outcome.article.canonical_text, own.text)):
            return FetchResult(result, ANOTHER_PAGE)
        # Its own URL is not that of this media, so what was fetched is for this user.
        article = replace(outcome.article, is_direct=False)
        change, _ = add_reading(session, own, article, outcome.read_at, min_chars)
        return FetchResult("new_version" if change in ADDED else result, NOTES[change])
    if parent.status == "needs_user_text" and own.compare(outcome.article, min_chars) == "better":
        target = owner.text if owner else _become_owner(session, outcome)
        if len(target.text) > len(own.text):
            _move_parent(session, parent_id, parent, target, min_chars)
        return FetchResult(result if owner else "won")
    return FetchResult(result)


def _reads_page(final_text_source: str | None) -> bool:
    """False for a text that was pasted meanwhile, which does not come from the page."""
    return final_text_source == "extracted_from_url"


def _add_to_owner(session: Session, outcome: Succeeded, min_chars: int) -> Owner | None:
    url = outcome.article.canonical_url
    found = owners_of(session, [url]).get(url)
    if found is None:
        return None
    change, current = add_reading(session, found, outcome.article, outcome.read_at, min_chars)
    return Owner(current, change)


def _become_owner(session: Session, outcome: Succeeded) -> CurrentText:
    """No media owns the URL that the link leads to now, so the media of the fetch becomes its owner."""
    new = NewText(outcome.claim.media_id, 1, outcome.article, outcome.read_at)
    write_texts(session, [new])
    return new.as_current


def _move_parent(session: Session, item_id: UUID, parent: Row[Any], target: CurrentText, min_chars: int) -> None:
    values = {"item_id": item_id, "media_id": target.media_id, **read_status(target, min_chars)}
    session.execute(MOVE_ITEM, values)
    replace_entry(session, parent.user_id, parent.media_id, target.media_id)
    remove_entry(session, parent.user_id, parent.media_id, instead=target.media_id)
