"""Figures of a user's items: how many, with what outcome, and how long they took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.items import ItemStatus
from nexus.services.library.counts import count_entries
from nexus.services.users import CurrentUser

# Reads ix_items_shelf alone: fetches of what was saved before, of which there are few, are counted apart.
PER_DAY = text("""
    WITH again AS MATERIALIZED (
        SELECT created_at FROM items WHERE fetch_again_of IS NOT NULL AND user_id = :user_id
    )
    SELECT days.day::date AS day,
           (SELECT count(*) FROM items WHERE user_id = :user_id
            AND created_at >= days.day AND created_at < days.day + interval '1 day')
           - (SELECT count(*) FROM again WHERE created_at >= days.day AND created_at < days.day + interval '1 day')
           AS saved
    FROM generate_series(date_trunc('day', now()) - interval '29 days', date_trunc('day', now()), interval '1 day')
        AS days(day)
    ORDER BY days.day
""")
# The times of the latest items with a receipt: from saving to the first success after it, else to the last attempt.
# Saving a link again sets created_at: attempts from before that belong to an earlier save.
LATENCY = text("""
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY took), percentile_cont(0.9) WITHIN GROUP (ORDER BY took)
    FROM (
        SELECT extract(epoch FROM last.finished_at - latest.created_at) * 1000 AS took
        FROM (SELECT id, created_at FROM items WHERE user_id = :user_id AND status = 'succeeded'
              ORDER BY created_at DESC, id DESC LIMIT 200) AS latest
        CROSS JOIN LATERAL (SELECT finished_at FROM extraction_attempts WHERE item_id = latest.id
                            ORDER BY (result = 'success' AND finished_at >= latest.created_at) DESC,
                                     CASE WHEN result = 'success' AND finished_at >= latest.created_at
                                          THEN attempt_no ELSE -attempt_no END
                            LIMIT 1) AS last
    ) AS measured WHERE took >= 0
""")


@dataclass(frozen=True)
class Day:
    day: date
    count: int


@dataclass(frozen=True)
class Latency:
    p50: int
    p90: int


@dataclass(frozen=True)
class Stats:
    saves_per_day: Sequence[Day]
    outcomes: Mapping[ItemStatus, int]
    latency_ms: Latency | None
    queue_depth: int


def get_stats(session: Session, user: CurrentUser) -> Stats:
    by_status = count_entries(session, user).by_status
    per_day = session.execute(PER_DAY, {"user_id": user.user_id})
    p50, p90 = session.execute(LATENCY, {"user_id": user.user_id}).one()
    return Stats(
        saves_per_day=[Day(day=row.day, count=row.saved) for row in per_day],
        outcomes=by_status,
        latency_ms=None if p50 is None else Latency(p50=round(p50), p90=round(p90)),
        queue_depth=by_status["queued"] + by_status["processing"],
    )
