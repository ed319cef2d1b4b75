"""The sweep: puts items of lost workers back into the queue, with an attempt in their receipt."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.services.lifecycle.fetch_again_settlement import delete_lost_fetches

MAX_LOSSES = 3

# SKIP LOCKED skips items that a running worker is just settling. The attempt does not count, since most pages of a lost
# worker did not cause the loss. An item that loses its worker MAX_LOSSES times in a row is taken for the cause and
# fails. It waits longer each time, and a worker holds only one such item at a time.
REQUEUE_LOST = text(f"""
    WITH lost AS (
        SELECT items.id, items.media_id, items.claimed_at, coalesce(items.fetch_again_of, items.id) AS receipt_of,
               items.losses + 1 < :max_losses AS again
        FROM items JOIN media ON media.id = items.media_id
        WHERE items.status = 'processing'
          AND (items.lease_until < now() OR items.claimed_at < now() - make_interval(secs => :stale_seconds))
        ORDER BY items.lease_until
        LIMIT :limit
        FOR UPDATE OF items, media SKIP LOCKED
    ), receipt AS (
        INSERT INTO extraction_attempts (item_id, attempt_no, rung, result, started_at, finished_at, duration_ms,
                                         error_code, error_detail)
        SELECT lost.receipt_of, 1 + coalesce((SELECT max(attempt_no) FROM extraction_attempts AS earlier
                                              WHERE earlier.item_id = lost.receipt_of), 0),
               'static', 'error', lost.claimed_at, now(),
               (extract(epoch FROM now() - lost.claimed_at) * 1000)::bigint,
               'worker_lost', 'The worker that was reading this stopped responding.'
        FROM lost
    ), requeued AS (
        UPDATE media
        SET processing_status = CASE WHEN again THEN 'pending' ELSE 'failed' END,
            processing_attempts = processing_attempts - CASE WHEN again THEN 1 ELSE 0 END,
            processing_started_at = CASE WHEN again THEN NULL ELSE processing_started_at END,
            failed_at = CASE WHEN again THEN NULL ELSE now() END,
            failure_stage = CASE WHEN again THEN NULL ELSE 'extract' END,
            last_error_code = CASE WHEN again THEN NULL ELSE 'E_INGEST_FAILED' END,
            last_error_message = CASE WHEN again THEN NULL
                ELSE 'worker_lost: the worker that was reading this stopped responding' END
        FROM lost WHERE media.id = lost.media_id
    )
    UPDATE items
    SET status = CASE WHEN again THEN 'queued' ELSE 'failed' END,
        attempts = attempts - CASE WHEN again THEN 1 ELSE 0 END,
        losses = losses + 1, due_at = now() + make_interval(secs => 2 * losses),
        {UNCLAIMED}, published_at = NULL,
        status_detail = CASE
            WHEN again THEN 'The worker that was reading this stopped responding. It is in the queue again.'
            ELSE 'Each worker that was reading this stopped responding, so Nexus no longer tries it.' END
    FROM lost WHERE items.id = lost.id
""")  # noqa: S608 - our own constant


def requeue_lost_items(session: Session, *, stale_minutes: float, limit: int = 500) -> int:
    """How many items had lost their worker; after too many losses in a row an item fails."""
    values = {"stale_seconds": stale_minutes * 60, "limit": limit, "max_losses": MAX_LOSSES}
    result = session.execute(REQUEUE_LOST, values)
    delete_lost_fetches(session)
    return int(result.rowcount)  # type: ignore[attr-defined] # an UPDATE always has one
