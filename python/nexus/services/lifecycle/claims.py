"""Claim, heartbeat, release. All times are the database's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.orm import Session

from nexus.db.claim_columns import UNCLAIMED
from nexus.services.lifecycle.records import Claim
from nexus.services.link_hosts import host_of_column

MAX_SCANNED = 500  # of a user's due items

# How items are chosen:
# - Fair between users: a user's turn is the number of their running items plus the position in their own queue. At the
#   same turn, the user whom this worker served longest ago comes first, then the item that waits longest. So 100 000
#   links of one user delay no other user, even with a single slot. `waiting` skips from user to user through the index
#   instead of reading the whole queue. There are more than twice as many candidates as the limit, since other workers
#   may have locked some.
# - An item that lost its worker may have caused the crash. A worker has only one such item at a time, to distinguish it
#   from the others that the same worker held.
# - No user and no host takes all slots of a worker: each may have its share of the claims that the worker holds. Items
#   of a host that has its share are skipped, up to MAX_SCANNED items of a user.
# - What people save themselves comes first (priority 0), and imported items (1) never hold all slots of a worker: one
#   remains for saved links. Both kinds are counted separately, so that an import does not use up its user's share, and
#   scanned separately, each by its own range of the index.
# - The conditions are repeated beside FOR UPDATE: for a row that was changed meanwhile PostgreSQL checks only those,
#   not the conditions of the CTE.
WAITING = """
    WITH RECURSIVE waiting AS (
        (SELECT user_id FROM items WHERE status = 'queued' ORDER BY user_id LIMIT 1)
        UNION ALL
        SELECT (SELECT user_id FROM items WHERE status = 'queued' AND user_id > waiting.user_id
                ORDER BY user_id LIMIT 1)
        FROM waiting WHERE waiting.user_id IS NOT NULL
    )
"""
CHOOSE = """    , running AS (
        SELECT user_id, priority, count(*) AS items FROM items WHERE status = 'processing' GROUP BY user_id, priority
    ), mine AS (
        SELECT user_id, priority, HOST_OF_LINK AS host FROM items
        WHERE status = 'processing' AND claimed_by = :worker_id
    ), full_hosts AS (
        SELECT array_agg(host) AS names FROM (
            SELECT host FROM mine WHERE host IS NOT NULL GROUP BY host HAVING count(*) >= :host_share
        ) AS hosts
    ), candidates AS (
        SELECT head.id, head.due_at, head.losses, head.host, priority,
               coalesce(running.items, 0) + head.position AS turn,
               coalesce(array_position(CAST(:served AS uuid[]), waiting.user_id), 0) AS served,
               row_number() OVER (PARTITION BY head.losses > 0 ORDER BY head.due_at, head.id) AS position_of_its_kind
        FROM waiting CROSS JOIN (
            SELECT CAST(0 AS smallint) AS priority
            UNION ALL SELECT 1 WHERE (SELECT count(*) FROM mine WHERE priority = 1) < :imported_share
        ) AS kinds
        LEFT JOIN running USING (user_id, priority)
        LEFT JOIN (SELECT user_id, priority, count(*) AS items FROM mine GROUP BY user_id, priority) AS held
            USING (user_id, priority)
        CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY due_at, id) AS position,
                   row_number() OVER (PARTITION BY losses > 0 ORDER BY due_at, id) AS position_in_share
            FROM (
                SELECT id, due_at, losses, HOST_OF_LINK AS host FROM (
                    SELECT id, due_at, losses, requested_url FROM items
                    WHERE user_id = waiting.user_id AND items.priority = kinds.priority AND status = 'queued'
                      AND due_at <= now()
                    ORDER BY due_at, id LIMIT :max_scanned
                ) AS due
                WHERE CASE WHEN (SELECT names FROM full_hosts) IS NULL THEN true
                      ELSE HOST_OF_LINK <> ALL (coalesce((SELECT names FROM full_hosts), '{}')) END
                ORDER BY due_at, id LIMIT 2 * :limit + 20
            ) AS first
        ) AS head
        WHERE waiting.user_id IS NOT NULL
          AND (head.losses > 0 OR coalesce(held.items, 0) + head.position_in_share <= :user_share)
        ORDER BY priority, turn, served, due_at, id LIMIT 2 * :limit + 20
    ), ranked AS (
        SELECT candidates.*,
               row_number() OVER (PARTITION BY host, losses > 0 ORDER BY priority, turn, served, due_at, id)
               + (SELECT count(*) FROM mine WHERE mine.host = candidates.host) AS position_at_host,
               row_number() OVER (PARTITION BY priority ORDER BY turn, served, due_at, id)
               + (SELECT count(*) FROM mine WHERE mine.priority = 1) AS position_of_imported
        FROM candidates
    ), chosen AS (
        SELECT items.id, media.id AS media_id
        FROM ranked JOIN items ON items.id = ranked.id JOIN media ON media.id = items.media_id
        WHERE items.status = 'queued' AND items.due_at <= now() AND media.processing_status = 'pending'
          AND position_at_host <= :host_share
          AND (ranked.priority = 0 OR position_of_imported <= :imported_share)
          AND (ranked.losses = 0 OR position_of_its_kind = 1 AND NOT EXISTS (
              SELECT FROM items AS held
              WHERE held.status = 'processing' AND held.losses > 0 AND held.claimed_by = :worker_id))
        ORDER BY ranked.priority, turn, served, ranked.due_at, items.id LIMIT :limit
        FOR UPDATE OF items, media SKIP LOCKED
    )
""".replace("HOST_OF_LINK", host_of_column("requested_url"))

CHOOSE_MEDIA = """
    WITH chosen AS (
        SELECT items.id, media.id AS media_id FROM items JOIN media ON media.id = items.media_id
        WHERE media.id = :media_id AND items.status = 'queued' AND items.due_at <= now()
          AND media.processing_status = 'pending'
        FOR UPDATE OF items, media SKIP LOCKED
    )
"""

# A claim that is lost in a crash of PostgreSQL leaves the item queued, and its worker no longer passes the fence: the
# commit need not wait for the disk (0.2 to 5 ms of each claim).
TAKE = """    , started AS (
        UPDATE media SET processing_status = 'extracting', processing_attempts = processing_attempts + 1,
               processing_started_at = now()
        FROM chosen WHERE media.id = chosen.media_id
        RETURNING set_config('synchronous_commit', 'off', true)
    )
    UPDATE items
    SET status = 'processing', status_detail = NULL, attempts = attempts + 1, claimed_by = :worker_id,
        claimed_at = now(), lease_until = now() + make_interval(secs => :lease_seconds)
    FROM chosen WHERE items.id = chosen.id
    RETURNING items.id, items.media_id, items.user_id, items.requested_url, items.attempts, items.max_attempts,
              items.request_id, items.claimed_by, items.claimed_at, items.losses, items.priority
"""
CLAIM = text(WAITING + CHOOSE + TAKE)
CLAIM_MEDIA = text(CHOOSE_MEDIA + TAKE)

# A worker may hold a second claim of an item whose first one it lost.
CLAIMS_GIVEN = "unnest(CAST(:ids AS uuid[]), CAST(:times AS timestamptz[])) AS given (id, claimed_at)"
PASSES_FENCE = "items.id = given.id AND items.claimed_by = :worker_id AND items.claimed_at = given.claimed_at"


def _fenced(sql: str) -> TextClause:
    return text(sql.replace("CLAIMS_GIVEN", CLAIMS_GIVEN).replace("PASSES_FENCE", PASSES_FENCE))


# A locked row is just being settled, so its lease no longer matters.
HEARTBEAT = _fenced("""
    WITH kept AS (
        SELECT items.id FROM items JOIN CLAIMS_GIVEN ON PASSES_FENCE
        ORDER BY items.id FOR UPDATE OF items SKIP LOCKED
    )
    UPDATE items SET lease_until = now() + make_interval(secs => :lease_seconds)
    FROM kept WHERE items.id = kept.id
""")
HELD = _fenced("SELECT items.id, items.claimed_at FROM items JOIN CLAIMS_GIVEN ON PASSES_FENCE")

# For a worker that stops. The attempt does not count, since the page did not cause it.
RELEASE = _fenced(f"""
    WITH locked AS (
        SELECT media.id FROM media WHERE id = ANY(:media_ids) ORDER BY id FOR UPDATE
    ), returned AS (
        UPDATE items
        SET status = 'queued', status_detail = NULL, due_at = now(), attempts = attempts - 1,
            {UNCLAIMED}, published_at = NULL
        FROM locked, CLAIMS_GIVEN WHERE items.media_id = locked.id AND PASSES_FENCE
        RETURNING items.media_id
    )
    UPDATE media SET processing_status = 'pending', processing_attempts = processing_attempts - 1,
           processing_started_at = NULL
    FROM returned WHERE media.id = returned.media_id
""")  # noqa: S608 - our own constant

# Uses the partial index for all users, which has this condition.
_IS_DUE = """
    EXISTS (SELECT FROM items WHERE status = 'queued' AND source_type <> '' AND priority = {} AND due_at <= now())
"""
ARE_DUE = text(f"SELECT {_IS_DUE.format(0)} OR {_IS_DUE.format(1)}")

# Both counts use partial indexes, so they are fast with any number of items.
COUNTS = text("""
    SELECT (SELECT count(*) FROM items WHERE status = 'queued') AS queued,
           (SELECT count(*) FROM items WHERE status = 'processing') AS processing,
           (SELECT coalesce(extract(epoch FROM now() - min(first.due_at)), 0)
            FROM unnest(ARRAY[0, 1]) AS priorities(priority) CROSS JOIN LATERAL (
                SELECT due_at FROM items
                WHERE status = 'queued' AND source_type <> '' AND items.priority = priorities.priority
                  AND due_at <= now()
                ORDER BY due_at LIMIT 1
            ) AS first) AS oldest_due_seconds
""")


@dataclass(frozen=True)
class Shares:
    """How many of the claims that a worker holds may be of one user, lead to one host, or come from imports."""

    user: int = 1_000_000
    host: int = 1_000_000
    imported: int = 1_000_000


class QueueCounts(NamedTuple):
    queued: int
    processing: int
    oldest_due_seconds: float


def claim(
    session: Session | Connection,
    *,
    worker_id: UUID,
    limit: int,
    lease_seconds: float,
    served: Sequence[UUID] = (),
    shares: Shares = Shares(),  # noqa: B008 - it is frozen
) -> list[Claim]:
    """Up to `limit` due items; `served`: the users that this worker served, the longest ago first."""
    values: dict[str, Any] = {
        "worker_id": worker_id, "limit": limit, "lease_seconds": lease_seconds, "served": list(served),
        "user_share": shares.user, "host_share": shares.host, "imported_share": shares.imported,
        "max_scanned": MAX_SCANNED,
    }  # fmt: skip
    return [Claim(*row) for row in session.execute(CLAIM, values)]


def claim_media(session: Session, media_id: UUID, *, worker_id: UUID, lease_seconds: float) -> Claim | None:
    """Claim the item of this media, if it is due and not claimed: a message of a broker may be late or come twice."""
    values = {"media_id": media_id, "worker_id": worker_id, "lease_seconds": lease_seconds}
    row = session.execute(CLAIM_MEDIA, values).one_or_none()
    return Claim(*row) if row else None


def are_items_due(session: Session) -> bool:
    return bool(session.scalar(ARE_DUE))


def count_queue(connection: Session | Connection) -> QueueCounts:
    row = connection.execute(COUNTS).one()
    return QueueCounts(row.queued, row.processing, float(row.oldest_due_seconds))


def heartbeat(session: Session, claims: Sequence[Claim], *, worker_id: UUID, lease_seconds: float) -> set[Claim]:
    """Renew the leases. Returns the claims that this worker still holds."""
    values = _fences(claims, worker_id)
    session.execute(HEARTBEAT, values | {"lease_seconds": lease_seconds})
    held = {(row.id, row.claimed_at) for row in session.execute(HELD, values)}
    return {claim for claim in claims if (claim.item_id, claim.claimed_at) in held}


def release(session: Session, claims: Sequence[Claim], *, worker_id: UUID) -> int:
    """Put items back into the queue as if they had not been claimed. Returns how many this worker still held."""
    values = _fences(claims, worker_id) | {"media_ids": [claim.media_id for claim in claims]}
    return int(session.execute(RELEASE, values).rowcount)  # type: ignore[attr-defined] # an UPDATE always has one


def _fences(claims: Sequence[Claim], worker_id: UUID) -> dict[str, Any]:
    return {
        "ids": [claim.item_id for claim in claims],
        "times": [claim.claimed_at for claim in claims],
        "worker_id": worker_id,
    }
