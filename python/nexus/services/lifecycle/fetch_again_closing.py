"""Closing a fetch of a media that is readable already: a text that a user reads is never lost or replaced.

The fetch is a row of its own in the queue (`items.fetch_again_of`) with a media of its own, so that the item it is for
(the parent) stays as it is meanwhile. Its attempts belong to the receipt of the parent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.lifecycle.library_entries import remove_entry, replace_entry
from nexus.services.lifecycle.ownership import (
    Owner,
    chars_of,
    clear_urls,
    merge,
    move_waiting_items,
    owners_of,
    read_status,
    write_media,
)
from nexus.services.lifecycle.records import Claim, Failed, Result, Succeeded

SAME = "The page was fetched again; its text is the same."
DIFFERENT = "The page was fetched again, and its text is different now. The text you have was kept."
FAILED = "The page could not be fetched again. The text you have was kept."

PARENT = text("""
    SELECT items.user_id, items.media_id, items.status, items.final_text_source, fragments.words
    FROM items CROSS JOIN LATERAL (
        SELECT string_agg(canonical_text, chr(10) ORDER BY idx) AS words
        FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
        WHERE media.id = items.media_id
    ) AS fragments
    WHERE items.id = :item_id
""")
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
DROP_FETCH = text("DELETE FROM items WHERE id = :item_id")
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
class Finished:
    """A fetch that ended, and the item it was for."""

    parent_id: UUID
    outcome: Succeeded | Failed


def close_fetches(session: Session, fetches: Sequence[Finished], min_chars: int) -> dict[Claim, Result]:
    """The parents and their media are locked already."""
    return {fetch.outcome.claim: _close(session, fetch, min_chars) for fetch in fetches}


def drop_lost_fetches(session: Session) -> None:
    """Fetches that lost their worker too often. Their attempts are in the receipt already."""
    for item_id, parent_id in session.execute(LOST_FETCHES).all():
        parent = session.execute(PARENT, {"item_id": parent_id}).one()
        session.execute(NOTE, {"item_id": parent_id, "note": FAILED if _reads_page(parent.final_text_source) else None})
        session.execute(DROP_FETCH, {"item_id": item_id})


def _close(session: Session, fetch: Finished, min_chars: int) -> Result:
    parent = session.execute(PARENT, {"item_id": fetch.parent_id}).one()
    reads_page = _reads_page(parent.final_text_source)
    outcome = fetch.outcome
    result: Result = "failed"
    note = FAILED if reads_page else None
    if isinstance(outcome, Succeeded):
        note = (SAME if _same(outcome.article.canonical_text, parent.words) else DIFFERENT) if reads_page else None
        needed = len(parent.words) if parent.status == "needs_user_text" else None
        owner = _owner(session, outcome, min_chars, needed)
        result = "won" if owner and owner.media_id == outcome.claim.media_id else "unchanged"
        if owner and needed is not None and owner.chars > needed:
            _move_parent(session, fetch.parent_id, owner, min_chars)
    session.execute(NOTE, {"item_id": fetch.parent_id, "note": note})
    session.execute(DROP_FETCH, {"item_id": outcome.claim.item_id})
    return result


def _reads_page(final_text_source: str | None) -> bool:
    """Not a text that was pasted meanwhile, which is not the page's."""
    return final_text_source == "extracted_from_url"


def _owner(session: Session, outcome: Succeeded, min_chars: int, needed: int | None) -> Owner | None:
    """The owner of the page's URL after this. The fetch wins it only if an item waits for its text."""
    url = outcome.article.canonical_url
    owner = owners_of(session, [url]).get(url)
    fresh = Owner(outcome.claim.media_id, chars_of(outcome))
    if owner is None:
        if needed is None or fresh.chars <= needed:
            return None
        write_media(session, [outcome])
        return fresh
    is_wanted = not owner.is_read or (needed is not None and fresh.chars > needed)
    if not is_wanted or not owner.loses_to(outcome, min_chars):
        return owner
    clear_urls(session, [owner.media_id])
    write_media(session, [outcome])
    if not owner.is_read:
        move_waiting_items(session, owner, fresh, min_chars)
        merge(session, [(owner.media_id, fresh.media_id)])
    return fresh


def _move_parent(session: Session, item_id: UUID, owner: Owner, min_chars: int) -> None:
    """Give the parent the better text, unless it was moved together with all items that waited for it."""
    parent = session.execute(PARENT, {"item_id": item_id}).one()
    if parent.media_id == owner.media_id:
        return
    values = {"item_id": item_id, "media_id": owner.media_id, **read_status(owner, min_chars)}
    session.execute(MOVE_ITEM, values)
    replace_entry(session, parent.user_id, parent.media_id, owner.media_id)
    remove_entry(session, parent.user_id, parent.media_id, instead=owner.media_id)


def _same(one: str, other: str) -> bool:
    """But for white space."""
    return one.split() == other.split()
