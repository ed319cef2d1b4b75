"""Which items are to be published to Celery: new ones, and those whose message no worker has acted on."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.lifecycle.claims import WAITING

# Messages at a time, however long the queue is: after a broker lost its messages, only these are sent again. Fewer
# of imported items, since what people save then waits behind them in the broker.
MAX_OUTSTANDING = 200
MAX_IMPORTED = 20

# Published again after `again_seconds`, then after twice that, and so on. In turns, one item of each user: a broker
# delivers its messages in their order, so the order must be fair already.
TAKE = """    , outstanding AS (
        SELECT count(*) AS items, count(*) FILTER (WHERE priority = 1) AS imported FROM items
        WHERE status = 'queued' AND due_at <= now() AND published_at > now() - make_interval(secs => :again_seconds)
    ), waiting_by_priority AS (
        SELECT head.id, priority, head.turn, head.due_at,
               row_number() OVER (PARTITION BY priority ORDER BY turn, due_at, id) AS number
        FROM waiting CROSS JOIN (VALUES (CAST(0 AS smallint)), (1)) AS kinds(priority) CROSS JOIN LATERAL (
            SELECT id, due_at, row_number() OVER (ORDER BY due_at, id) AS turn FROM items
            WHERE user_id = waiting.user_id AND items.priority = kinds.priority AND status = 'queued'
              AND due_at <= now()
              AND (published_at IS NULL OR now() - published_at
                   > greatest(make_interval(secs => :again_seconds), published_at - due_at))
            ORDER BY due_at, id LIMIT :limit
        ) AS head
        WHERE waiting.user_id IS NOT NULL
    ), unpublished AS (
        SELECT * FROM waiting_by_priority
        WHERE priority = 0 OR number <= :max_imported - (SELECT imported FROM outstanding)
        ORDER BY priority, turn, due_at, id
        LIMIT least(:limit, greatest(0, :max_outstanding - (SELECT items FROM outstanding)))
    ), due AS (
        SELECT items.id, turn, unpublished.due_at, unpublished.priority FROM unpublished JOIN items USING (id)
        WHERE items.status = 'queued' FOR UPDATE OF items SKIP LOCKED
    ), published AS (
        UPDATE items SET published_at = now() FROM due WHERE items.id = due.id
        RETURNING items.id, items.media_id, items.user_id, items.request_id, due.turn, due.due_at,
                  due.priority
    )
    SELECT id, media_id, user_id, request_id FROM published ORDER BY priority, turn, due_at, id
"""
TAKE_MESSAGES = text(WAITING + TAKE)
MARK_UNPUBLISHED = text("UPDATE items SET published_at = NULL WHERE id = ANY(:ids) AND status = 'queued'")


@dataclass(frozen=True)
class Message:
    item_id: UUID
    media_id: UUID
    user_id: UUID
    request_id: str | None


def take_messages(session: Session, *, limit: int, again_seconds: float) -> list[Message]:
    """Marked as published before they are sent: after a crash in between they are sent again."""
    values = {
        "limit": limit,
        "again_seconds": again_seconds,
        "max_outstanding": MAX_OUTSTANDING,
        "max_imported": MAX_IMPORTED,
    }
    return [Message(*row) for row in session.execute(TAKE_MESSAGES, values)]


def mark_unpublished(session: Session, messages: Sequence[Message]) -> None:
    session.execute(MARK_UNPUBLISHED, {"ids": [message.item_id for message in messages]})
