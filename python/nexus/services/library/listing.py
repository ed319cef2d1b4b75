"""Pages of a library in any order. Most cost the same however many entries there are.

The first rows of a few runs of an index are enough where those are in the order of the page: without filters in every
order, with one filter in the order of time. Filters that find few entries are read whole and sorted. What is left are
filters that find more than a few (sources.py), in an order that their index does not have: the index of the order is
read, and the entries that are not meant are passed over. That is linear where those come first, as all that can be
read does before what failed when the longest are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services.library.counts import Counts, count_entries
from nexus.services.library.entries import COLUMNS, ENTRIES, Entry, entry_of
from nexus.services.library.filters import Filters, conditions
from nexus.services.library.sorting import (
    FIRST_ID,
    LAST_ID,
    MOST_SECONDS,
    ORDERS,
    UNKNOWN,
    Order,
    Sort,
    read_page_cursor,
    write_page_cursor,
)
from nexus.services.library.sources import FEW, Choice, Source, choose, run_values
from nexus.services.users import CurrentUser

KEYS = "entry.title_key, entry.reading_seconds, entry.read_order"
# What has no length comes after the longest: its part of the index is a run of its own.
BY_LENGTH = (
    " CROSS JOIN unnest(CAST(:afters AS integer[]), CAST(:after_ids AS uuid[]), CAST(:ends AS integer[]))"
    " AS part(after, after_id, last)"
)
IN_PART = "(entry.reading_seconds, entry.media_id) > (part.after, part.after_id) AND entry.reading_seconds <= part.last"


@dataclass(frozen=True)
class Page:
    entries: Sequence[Entry]
    next_cursor: str | None
    counts: Counts


def list_entries(
    session: Session, user: CurrentUser, filters: Filters, *, limit: int, cursor: str | None, sort: Sort = "newest"
) -> Page:
    """The Inbox, unless the filters ask for what is archived."""
    after, after_id = read_page_cursor(sort, cursor)
    meant = conditions(session, user, filters, archived="false")
    choice = choose(session, filters, meant, by_time=ORDERS[sort].key == "created_at")
    values = run_values(filters, meant) | {"limit": limit + 1, "after": after, "after_id": after_id, "few": 2 * FEW}
    if sort == "shortest":
        values |= _parts(after, after_id)
    statement = _page(sort, choice, meant.without(*choice.source.made))
    rows = session.execute(statement, values).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(
        entries=[entry_of(row) for row in rows[:limit]],
        next_cursor=write_page_cursor(sort, last) if last else None,
        counts=count_entries(session, user),
    )


def _parts(after: int, after_id: UUID) -> dict[str, Any]:
    """The first page is after all that has no length, which follows the longest."""
    unknown = {"afters": [UNKNOWN], "after_ids": [after_id], "ends": [UNKNOWN]}
    if after == UNKNOWN and after_id != LAST_ID:
        return unknown
    return {"afters": [after, UNKNOWN - 1], "after_ids": [after_id, FIRST_ID], "ends": [MOST_SECONDS, UNKNOWN]}


# DISTINCT: an entry may have several tags below the one that is asked for.
@lru_cache(maxsize=512)
def _page(sort: Sort, choice: Choice, others: str) -> TextClause:
    order = ORDERS[sort]
    is_known = "(entry.reading_seconds < 0), " if sort == "shortest" else ""
    by = f"{is_known}entry.{order.key} {order.direction}, entry.media_id {order.direction}"
    each = _few(choice.source, others) if choice.is_few else _first(sort, order, choice.source, others)
    runs = choice.source.runs + (BY_LENGTH if sort == "shortest" else "")
    return text(f"""
        WITH page AS (
            SELECT DISTINCT ON ({is_known}entry.{order.key}, entry.media_id) entry.*
            FROM unnest(CAST(:archived AS boolean[])) AS shelf(is_archived){runs}
            CROSS JOIN LATERAL ({each}) AS entry
            {f"WHERE {_after(sort, order)}" if choice.is_few else ""}
            ORDER BY {by} LIMIT :limit
        ) {ENTRIES} ORDER BY {by.replace("entry.", "page.")}
    """)  # noqa: S608 - our own constants


def _first(sort: Sort, order: Order, source: Source, others: str) -> str:
    """The first rows of a run of an index that is in the order of the page."""
    by_time = order.key == "created_at"
    key, media_id = (source.created_at, source.media_id) if by_time else (f"entry.{order.key}", "entry.media_id")
    after = IN_PART if sort == "shortest" else order.after(key, media_id)
    return f"""
        SELECT {COLUMNS}, {KEYS} FROM {source.rows} WHERE {others}{source.condition} AND {after}
        ORDER BY {key} {order.direction}, {media_id} {order.direction} LIMIT :limit
    """  # noqa: S608


def _few(source: Source, others: str) -> str:
    """All of them. Their order and the limit keep the planner from reading the whole table, or walking through the
    index of the page's order."""
    return f"""
        SELECT {COLUMNS}, {KEYS} FROM {source.rows} WHERE {others}{source.condition} ORDER BY {source.order} LIMIT :few
    """  # noqa: S608


def _after(sort: Sort, order: Order) -> str:
    return IN_PART if sort == "shortest" else order.after(f"entry.{order.key}", "entry.media_id")
