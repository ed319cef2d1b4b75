"""The only writer of ``items.status`` and ``media.processing_status``: always both, in one transaction."""

from sqlalchemy import text
from sqlalchemy.orm import Session

# A lease that ran out belongs to a worker that is gone. Only the database's clock counts, and SKIP LOCKED
# leaves alone what a living worker is just writing.
HAND_BACK_LOST = text("""
    WITH lost AS (
        SELECT id, media_id FROM items
        WHERE status = 'processing'
          AND (lease_until < now() OR claimed_at < now() - make_interval(secs => :stale_seconds))
        ORDER BY lease_until
        LIMIT :limit
        FOR UPDATE SKIP LOCKED
    ), reopened AS (
        UPDATE media SET processing_status = 'pending', processing_started_at = NULL
        FROM lost WHERE media.id = lost.media_id AND media.processing_status = 'extracting'
    )
    UPDATE items
    SET status = 'queued', due_at = now(), claimed_by = NULL, claimed_at = NULL, lease_until = NULL,
        status_detail = 'The worker that had this was lost; it is back in the queue.'
    FROM lost WHERE items.id = lost.id
""")


def hand_back_lost_items(session: Session, *, stale_minutes: float, limit: int = 500) -> int:
    """Back into the queue with what a dead worker held; how many there were."""
    result = session.execute(HAND_BACK_LOST, {"stale_seconds": stale_minutes * 60, "limit": limit})
    return int(result.rowcount)  # type: ignore[attr-defined] # an UPDATE always has one
