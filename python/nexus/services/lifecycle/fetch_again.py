"""Fetching a page once more: because it failed, because it may have changed, or because its link was saved again."""

from dataclasses import dataclass
from math import ceil
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.errors import FetchedMomentsAgoError, NotFetchedFromWebError, NotFoundError
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.lifecycle.retry import QUEUED_AGAIN, REQUEUE_MEDIA
from nexus.services.locks import lock_item, lock_readable
from nexus.services.users import CurrentUser

PAUSE_SECONDS = 60

# Per user, since it must not reveal when others had the same page fetched again.
MEDIA = text(
    "SELECT kind, processing_status, captured_url_key IS NOT NULL AS is_captured FROM media WHERE id = :media_id"
)
NEWEST_ITEM = text("""
    SELECT id, requested_url, extract(epoch FROM now() - max(fetched_again_at) OVER ())::float AS seconds_ago
    FROM items WHERE media_id = :media_id AND user_id = :user_id AND requested_url IS NOT NULL
    ORDER BY created_at DESC, id DESC LIMIT 1
""")
REQUEUE_ITEM = text(f"""
    UPDATE items SET {QUEUED_AGAIN}, priority = 0, max_attempts = attempts + 1, request_id = :request_id,
           fetched_again_at = now()
    WHERE id = :item_id
""")  # noqa: S608 - our own constant
IS_FETCHING_AGAIN = text("SELECT EXISTS (SELECT FROM items WHERE fetch_again_of = :item_id)")
ADD_MEDIA = text("""
    INSERT INTO media (id, kind, created_by_user_id, requested_url)
    VALUES (:media_id, 'web_article', :user_id, :url)
""")
ADD_FETCH = text("""
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, request_id, max_attempts, fetch_again_of)
    VALUES (:user_id, :media_id, 'queued', 'url', :url, :request_id, 1, :item_id)
""")
NOTE_TIME = text("UPDATE items SET fetched_again_at = now() WHERE id = :item_id")

# By the canonical form of the link; items from before `url_key` existed, by the link as it was given. Also items whose
# text is too short: to their user that is a failed fetch as well.
FAILED_ITEM_OF_LINK = text("""
    SELECT id FROM items
    WHERE user_id = :user_id AND status IN ('needs_user_text', 'failed')
      AND coalesce(url_key, text_key(requested_url)) = ANY(:keys)
      AND source_type = 'url' AND fetch_again_of IS NULL
    ORDER BY created_at DESC, id DESC LIMIT 1
""")
SAVE_AGAIN = text(f"""
    UPDATE items SET {QUEUED_AGAIN}, priority = 0, max_attempts = attempts + :max_attempts, request_id = :request_id,
           requested_url = :url, url_key = :url_key, created_at = now()
    WHERE id = :item_id
""")  # noqa: S608
NOTE_SAVED_AGAIN = text("UPDATE items SET created_at = now() WHERE id = :item_id")
# Saving is a decision, even if the entry is not archived: an earlier decision to archive it may arrive later.
MOVE_TO_TOP = text(f"""
    UPDATE library_media
    SET created_at = now(), archived_at = NULL, archived_decided_at = now()
    FROM libraries WHERE {IS_OWN_ENTRY} AND library_media.media_id = :media_id
""")  # noqa: S608 - our own constant


@dataclass(frozen=True)
class FetchAgain:
    media_id: UUID
    processing_status: str
    is_new: bool


@dataclass(frozen=True)
class SavedAgain:
    item_id: UUID
    media_id: UUID
    status: str


def fetch_again(session: Session, user: CurrentUser, media_id: UUID, *, request_id: str) -> FetchAgain:
    """A failed media is queued again; a readable one stays as it is while its page is fetched once more."""
    found = lock_readable(session, user, media_id)
    values = {"media_id": found, "user_id": user.user_id}
    media = session.execute(MEDIA, values).one()
    item = session.execute(NEWEST_ITEM, values).one_or_none()
    if media.kind != "web_article" or item is None:
        raise NotFetchedFromWebError("This did not come from a web page, so it cannot be fetched again.")
    if media.is_captured:
        raise NotFetchedFromWebError(
            "This was saved from your browser as you saw it, so Nexus does not fetch it. Open the page and save it "
            "again."
        )
    _require_pause(item)
    if media.processing_status == "failed":
        session.execute(REQUEUE_MEDIA, values)
        session.execute(REQUEUE_ITEM, {"item_id": item.id, "request_id": request_id})
        return FetchAgain(found, "pending", is_new=True)
    if media.processing_status != "ready_for_reading" or is_fetching_again(session, item.id):
        return FetchAgain(found, media.processing_status, is_new=False)
    _add_fetch(session, user, item, request_id=request_id)
    return FetchAgain(found, "ready_for_reading", is_new=True)


def is_fetching_again(session: Session, item_id: UUID) -> bool:
    """Whether the page of this readable item waits to be fetched again, or is being fetched."""
    return bool(session.scalar(IS_FETCHING_AGAIN, {"item_id": item_id}))


def _add_fetch(session: Session, user: CurrentUser, item: Row[tuple[UUID, str, float]], *, request_id: str) -> None:
    fetch = {"user_id": user.user_id, "media_id": uuid4(), "url": item.requested_url, "item_id": item.id}
    session.execute(ADD_MEDIA, fetch)
    session.execute(ADD_FETCH, fetch | {"request_id": request_id})
    session.execute(NOTE_TIME, {"item_id": item.id})


def _require_pause(item: Row[tuple[UUID, str, float]]) -> None:
    seconds_ago = item.seconds_ago
    if seconds_ago is not None and seconds_ago < PAUSE_SECONDS:
        wait = max(1, ceil(PAUSE_SECONDS - seconds_ago))
        raise FetchedMomentsAgoError(
            f"This was fetched again less than a minute ago; try again in {wait} s.", retry_after=wait
        )


def save_failed_again(
    session: Session, user: CurrentUser, *, url: str, canonical_url: str, max_attempts: int, request_id: str
) -> SavedAgain | None:
    """Queue the user's item whose fetch of the same link failed, and move it to the top of the library."""
    key = text_key(canonical_url)
    found = session.scalar(FAILED_ITEM_OF_LINK, {"user_id": user.user_id, "keys": [key, text_key(url)]})
    if found is None:
        return None
    try:
        media_id, status = lock_item(session, user.user_id, found)
    except NotFoundError:
        return None  # removed meanwhile
    if status in ("queued", "processing"):
        return SavedAgain(found, media_id, status)  # saved in another window at the same time
    values = {"item_id": found, "media_id": media_id, "user_id": user.user_id, "url": url, "url_key": key}
    if session.execute(MEDIA, values).one().processing_status == "failed":
        session.execute(REQUEUE_MEDIA, values)
        session.execute(SAVE_AGAIN, values | {"max_attempts": max_attempts, "request_id": request_id})
        status = "queued"
    elif status == "needs_user_text":
        _fetch_short_again(session, user, values, request_id=request_id)
    else:
        return None  # it got a pasted text meanwhile
    session.execute(MOVE_TO_TOP, values)
    return SavedAgain(found, media_id, status)


def _fetch_short_again(session: Session, user: CurrentUser, values: dict[str, Any], *, request_id: str) -> None:
    """Fetch the page again. The short text stays until a better one is read, in case the user wants to keep it."""
    item = session.execute(NEWEST_ITEM, values).one()
    if not is_fetching_again(session, item.id):
        _add_fetch(session, user, item, request_id=request_id)
    session.execute(NOTE_SAVED_AGAIN, values)
