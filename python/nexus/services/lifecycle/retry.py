"""Retries failed items on request: one attempt each time, up to a limit for all attempts of a media."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import RetryExhaustedError, RetryInvalidStateError
from nexus.services.locks import lock_readable
from nexus.services.users import CurrentUser

MAX_MEDIA_ATTEMPTS = 3

MEDIA_PENDING = "processing_status = 'pending', processing_started_at = NULL, failed_at = NULL, failure_stage = NULL"
QUEUED_AGAIN = "status = 'queued', status_detail = NULL, due_at = now(), published_at = NULL, losses = 0"

MEDIA_STATE = text("SELECT kind, processing_status, processing_attempts FROM media WHERE id = :media_id")
FAILED_ITEM = text("""
    SELECT id FROM items
    WHERE media_id = :media_id AND user_id = :user_id AND status IN ('needs_user_text', 'failed') FOR UPDATE
""")
REQUEUE_MEDIA = text(f"UPDATE media SET {MEDIA_PENDING} WHERE id = :media_id")  # noqa: S608 - our own constants
REQUEUE_ITEM = text(f"""
    UPDATE items SET {QUEUED_AGAIN}, priority = 0, max_attempts = attempts + 1 WHERE id = :item_id
""")  # noqa: S608
# Not items that were not fetched because the user chose so: those have not failed.
REQUEUE_IMPORTED = text(f"""
    WITH failed AS (
        SELECT items.id, items.media_id
        FROM import_rows JOIN items ON items.id = import_rows.item_id JOIN media ON media.id = items.media_id
        WHERE import_id = :import_id AND outcome = 'added' AND items.user_id = :user_id AND items.priority = 1
          AND items.status IN ('needs_user_text', 'failed') AND media.processing_status = 'failed'
          AND media.kind = 'web_article' AND media.last_error_code <> 'E_NOT_FETCHED'
        ORDER BY media.id LIMIT :limit FOR UPDATE OF media, items SKIP LOCKED
    ), readied AS (
        UPDATE media SET {MEDIA_PENDING} FROM failed WHERE media.id = failed.media_id
    )
    UPDATE items SET {QUEUED_AGAIN}, max_attempts = attempts + 1 FROM failed WHERE items.id = failed.id
""")  # noqa: S608


def can_retry(kind: str, processing_status: str, attempts: int) -> bool:
    """False for a pasted text, which has no page to fetch."""
    return kind != "pasted_text" and processing_status == "failed" and attempts < MAX_MEDIA_ATTEMPTS


def retry_media(session: Session, user: CurrentUser, media_id: UUID) -> UUID:
    """The media that is queued again: what an alias leads to."""
    found = lock_readable(session, user, media_id)
    state = session.execute(MEDIA_STATE, {"media_id": found}).one()
    item_id = session.execute(FAILED_ITEM, {"media_id": found, "user_id": user.user_id}).scalar_one_or_none()
    if state.processing_status != "failed" or state.kind == "pasted_text" or item_id is None:
        raise RetryInvalidStateError("Only an item that failed can be tried again.")
    if not can_retry(*state):
        raise RetryExhaustedError(
            f"This was tried {state.processing_attempts} times. POST /media/{found}/fetch-again tries it once more, as"
            " often as you like; or paste its text."
        )
    session.execute(REQUEUE_MEDIA, {"media_id": found})
    session.execute(REQUEUE_ITEM, {"item_id": item_id})
    return found


def retry_imported(session: Session, user: CurrentUser, import_id: UUID, limit: int) -> int:
    """Queue the pages again that an import added and that could not be read, with the priority of imports. Returns how
    many. Users may do this as often as they want."""
    values = {"import_id": import_id, "user_id": user.user_id, "limit": limit}
    return int(session.execute(REQUEUE_IMPORTED, values).rowcount)  # type: ignore[attr-defined] # an UPDATE has one
