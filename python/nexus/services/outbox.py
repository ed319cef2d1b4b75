"""Which saves Celery has not been told of, or was told of and nobody came."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.lifecycle.claims import WAITING

# So many are out at a time, however long the queue is: a broker that lost its messages gets few of them again.
MAX_OUTSTANDING = 200

# Told again after `again_seconds`, then after twice that, and so on: it waits as long as it has waited. In turns, a
# save of each user: a broker hands out its messages as they came, so what is fair must be fair before.
TAKE = """    , outstanding AS (
        SELECT count(*) AS items FROM items
        WHERE status = 'queued' AND due_at <= now() AND published_at > now() - make_interval(secs => :again_seconds)
    ), untold AS (
        SELECT head.id, head.turn, head.due_at FROM waiting CROSS JOIN LATERAL (
            SELECT id, due_at, row_number() OVER (ORDER BY due_at, id) AS turn FROM items
            WHERE user_id = waiting.user_id AND status = 'queued' AND due_at <= now()
              AND (published_at IS NULL OR now() - published_at
                   > greatest(make_interval(secs => :again_seconds), published_at - due_at))
            ORDER BY due_at, id LIMIT :limit
        ) AS head
        ORDER BY turn, due_at, id
        LIMIT least(:limit, greatest(0, :most_outstanding - (SELECT items FROM outstanding)))
    ), due AS (
        SELECT items.id, turn, untold.due_at FROM untold JOIN items USING (id)
        WHERE items.status = 'queued' FOR UPDATE OF items SKIP LOCKED
    ), told AS (
        UPDATE items SET published_at = now() FROM due WHERE items.id = due.id
        RETURNING items.id, items.media_id, items.user_id, items.request_id, due.turn, due.due_at
    )
    SELECT id, media_id, user_id, request_id FROM told ORDER BY turn, due_at, id
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
    """Noted as sent before they are: killed in between, they are sent again when nobody claims them."""
    values = {"limit": limit, "again_seconds": again_seconds, "most_outstanding": MAX_OUTSTANDING}
    return [Message(*row) for row in session.execute(TAKE_MESSAGES, values)]


def mark_unpublished(session: Session, messages: Sequence[Message]) -> None:
    session.execute(MARK_UNPUBLISHED, {"ids": [message.item_id for message in messages]})
