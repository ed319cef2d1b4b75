"""Pages of a library in any order: a page costs about the same among a million entries as among a thousand.

Where index ranges are already in the order of the page, their first rows are enough. Filters that find few entries are
read completely and sorted. For filters that find many, in an order that their index does not have, the index of the
order is scanned and the entries that do not match are skipped. query_plan.py decides which.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Row, TextClause, text
from sqlalchemy.orm import Session

from nexus.services.library.counts import Counts, count_entries
from nexus.services.library.entries import COLUMNS, ENTRIES, Entry, entry_of
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.query_plan import ReadPlan, choose_plan
from nexus.services.library.sorting import (
    FIRST_ID,
    LAST_ID,
    MAX_SECONDS,
    ORDERS,
    UNKNOWN,
    Order,
    Sort,
    read_page_cursor,
    write_page_cursor,
)
from nexus.services.library.sources import Source, range_values
from nexus.services.users import CurrentUser

KEYS = "entry.title_key, entry.reading_seconds, entry.read_order"
# What has no length comes after the longest: a part of the index of its own.
IN_PART = """(entry.reading_seconds, entry.media_id) > (CAST(:after AS integer), CAST(:after_id AS uuid))
    AND entry.reading_seconds <= :last"""


@dataclass(frozen=True)
class EntryPage:
    entries: Sequence[Entry]
    next_cursor: str | None
    counts: Counts


def list_entries(
    session: Session, user: CurrentUser, filters: Filters, *, limit: int, cursor: str | None, sort: Sort = "newest"
) -> EntryPage:
    """The Inbox, unless the filters ask for what is archived."""
    after, after_id = read_page_cursor(sort, cursor)
    conditions = build_conditions(session, user, filters, archived="false")
    plan = choose_plan(session, filters, conditions, key=ORDERS[sort].key, limit=limit)
    # Some more than there were: entries may be added meanwhile.
    values = range_values(filters, conditions) | {"max_rows": 2 * plan.size + 1000}
    statement = _page(sort, plan, conditions.without(*plan.source.filters_applied))
    rows: list[Row[Any]] = []
    for part in _parts(sort, after, after_id):
        if len(rows) <= limit:
            rows += session.execute(statement, values | part | {"limit": limit + 1 - len(rows)}).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return EntryPage(
        entries=[entry_of(row) for row in rows[:limit]],
        next_cursor=write_page_cursor(sort, last) if last else None,
        counts=count_entries(session, user),
    )


def _parts(sort: Sort, after: Any, after_id: UUID) -> list[dict[str, Any]]:
    """By length, what has none is looked for only where the page is not full: most filters find nothing there."""
    if sort != "shortest":
        return [{"after": after, "after_id": after_id}]
    if after == UNKNOWN and after_id != LAST_ID:
        return [{"after": after, "after_id": after_id, "last": UNKNOWN}]
    return [
        {"after": after, "after_id": after_id, "last": MAX_SECONDS},
        {"after": UNKNOWN - 1, "after_id": FIRST_ID, "last": UNKNOWN},
    ]


# DISTINCT only where it is needed: the first rows of an order are found without sorting all of them.
@lru_cache(maxsize=512)
def _page(sort: Sort, plan: ReadPlan, others: str) -> TextClause:
    order = ORDERS[sort]
    by = f"entry.{order.key} {order.direction}, entry.media_id {order.direction}"
    each = _all_rows(plan.source, others) if plan.reads_all else _first(sort, order, plan.source, others)
    return text(f"""
        WITH page AS (
            SELECT {f"DISTINCT ON (entry.{order.key}, entry.media_id)" if plan.source.repeats else ""} entry.*
            FROM unnest(CAST(:archived AS boolean[])) AS wanted(is_archived){plan.source.ranges}
            CROSS JOIN LATERAL ({each}) AS entry
            {f"WHERE {_after(sort, order)}" if plan.reads_all else ""}
            ORDER BY {by} LIMIT :limit
        ) {ENTRIES} ORDER BY {by.replace("entry.", "page.")}
    """)  # noqa: S608 - our own constants


def _first(sort: Sort, order: Order, source: Source, others: str) -> str:
    """The first rows of a range of an index that is in the order of the page."""
    by_time = order.key == "created_at"
    key, media_id = (source.created_at, source.media_id) if by_time else (f"entry.{order.key}", "entry.media_id")
    after = IN_PART if sort == "shortest" else order.after(key, media_id)
    return f"""
        SELECT {COLUMNS}, {KEYS} FROM {source.rows} WHERE {others}{source.condition} AND {after}
        ORDER BY {key} {order.direction}, {media_id} {order.direction} LIMIT :limit
    """  # noqa: S608


def _all_rows(source: Source, others: str) -> str:
    """All of them. Their order and the limit keep the planner from reading the whole table, or scanning the
    index of the page's order."""
    return f"""
        SELECT {COLUMNS}, {KEYS} FROM {source.rows} WHERE {others}{source.condition}
        ORDER BY {source.order} LIMIT :max_rows
    """  # noqa: S608


def _after(sort: Sort, order: Order) -> str:
    return IN_PART if sort == "shortest" else order.after(f"entry.{order.key}", "entry.media_id")
