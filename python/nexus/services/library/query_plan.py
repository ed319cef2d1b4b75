"""Chooses the source that a page or a selection is read from: the one that is expected to read the fewest rows.

Either all entries of a source are read and sorted, or an index in the order of the page is scanned and entries that the
other filters exclude are skipped. How many entries a filter finds is known where a count is kept; otherwise its index
is counted up to a limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isqrt, prod
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services.library.counts import EntryCount, entry_counts
from nexus.services.library.filters import Conditions, Filters, archived_values
from nexus.services.library.sources import ALL, STARRED, Source, last_in_order, range_values, sources_of

MAX_COUNTED = 2000  # so many entries of an index are counted in half a millisecond
# Filters may depend on each other, so that a scan finds nothing and reads all of its source. Of a source with several
# ranges that is likely: it goes on through the one in which nothing matches, however soon the others are full.
SCAN_RISK = 0.005
SCAN_RISK_MULTIPLE_RANGES = 0.06
TAG_COUNTS = text("""
    SELECT tag_id, sum(difference)::bigint AS entries FROM tag_counts
    WHERE tag_id = ANY(:ids) AND is_archived = ANY(:archived) GROUP BY tag_id
""")


@dataclass(frozen=True)
class ReadPlan:
    source: Source
    reads_all: bool  # all of its entries are read and sorted
    size: int = field(default=0, compare=False)


@dataclass(frozen=True)
class SourceSize:
    source: Source
    size: int
    is_known: bool  # else a guess: it has more than MAX_COUNTED


def choose_plan(session: Session, filters: Filters, conditions: Conditions, *, key: str, limit: int) -> ReadPlan:
    """For a page in the order of a column of library_media. In the order of time one source alone is quick however
    many entries it has."""
    by_time = key == "created_at"
    sources = sources_of(filters, conditions)
    if not sources or (by_time and len(sources) == 1 and sources[0].is_by_time):
        return ReadPlan(sources[0] if sources else ALL, reads_all=False)
    last = last_in_order(filters, key)
    total, found = _sizes(session, filters, conditions, [*sources, *last])
    sizes, in_order = found[: len(sources)], found[len(sources) :]
    if not in_order:
        in_order = [
            SourceSize(ALL, total, is_known=True),
            *(each for each in sizes if by_time and each.source.is_by_time),
        ]
    # The index of the order of length begins where the filter of length does, so that filter passes nothing over.
    passed = [each for each in sizes if key != "reading_seconds" or "minutes" not in each.source.filters_applied]
    scans = [(_scan_cost(each, passed, total, limit), ReadPlan(each.source, reads_all=False)) for each in in_order]
    read = [
        (each.size, ReadPlan(each.source.full_read or each.source, True, each.size)) for each in sizes if each.is_known
    ]
    rows, best = min([*scans, *read], key=lambda each: each[0])
    if rows > 5 * MAX_COUNTED:
        # Worth counting what was not counted to its end: an index is counted ten times as fast as its entries are read.
        for source in (each.source for each in sizes if not each.is_known):
            size = _count_rows(session, source, filters, conditions, limit=int(rows))
            rows, best = (size, ReadPlan(source, True, size)) if size < rows else (rows, best)
    return best


def _scan_cost(scanned: SourceSize, passed: Sequence[SourceSize], total: int, limit: int) -> float:
    """How many rows a page is expected to cost."""
    matching = total * prod(max(each.size, 1) / max(total, 1) for each in passed)
    has_others = any(each.source is not scanned.source for each in passed)
    risk = (SCAN_RISK_MULTIPLE_RANGES if scanned.source.ranges else SCAN_RISK) if has_others else 0
    return min(limit * scanned.size / max(matching, 1e-9), scanned.size) + risk * scanned.size


def match_ids(session: Session, filters: Filters, conditions: Conditions, *, limit: int) -> Sequence[Any]:
    """The media of the entries that match, at most so many."""
    sources = sources_of(filters, conditions) or [ALL]
    source = sources[0] if len(sources) == 1 else _narrowest(session, filters, conditions, sources).source
    return session.scalars(_matching(source, conditions), range_values(filters, conditions) | {"limit": limit}).all()


def count_matching(session: Session, filters: Filters, conditions: Conditions, *, limit: int) -> int:
    """How many entries match. Where it is more than `limit`, it may be any other number above that."""
    sources = sources_of(filters, conditions) or [ALL]
    found = _narrowest(session, filters, conditions, sources)
    if len(sources) == 1 and not found.source.repeats and (found.is_known or limit <= MAX_COUNTED):
        return found.size
    counted = text(f"SELECT count(*) FROM ({_matching(found.source, conditions)}) AS matching")  # noqa: S608 - our own
    count: int = session.execute(counted, range_values(filters, conditions) | {"limit": limit}).scalar_one()
    return count


def _narrowest(session: Session, filters: Filters, conditions: Conditions, sources: Sequence[Source]) -> SourceSize:
    _, sizes = _sizes(session, filters, conditions, sources)
    return min(sizes, key=lambda each: each.size)


def _matching(source: Source, conditions: Conditions) -> TextClause:
    return text(f"""
        SELECT DISTINCT entry.media_id
        FROM unnest(CAST(:archived AS boolean[])) AS wanted(is_archived){source.ranges}
        CROSS JOIN LATERAL (
            SELECT entry.media_id FROM {source.rows}
            WHERE {conditions.without(*source.filters_applied)}{source.condition} LIMIT :limit
        ) AS entry LIMIT :limit
    """)  # noqa: S608 - our own constants


def _sizes(
    session: Session, filters: Filters, conditions: Conditions, sources: Sequence[Source]
) -> tuple[int, Sequence[SourceSize]]:
    """How many entries there are, and how many each of the sources has."""
    archived = archived_values(filters.archived, conditions.archived)
    counts = [each for each in entry_counts(session, conditions.values["library_id"]) if each.is_archived in archived]
    total = sum(each.entries for each in counts)
    tags = _tag_counts(session, conditions, archived)
    sizes = []
    for source in sources:
        known = _kept_count(source, filters, counts, tags)
        size = _count_rows(session, source, filters, conditions, limit=MAX_COUNTED) if known is None else known
        is_known = known is not None or size <= MAX_COUNTED
        sizes.append(SourceSize(source, size if is_known else isqrt(MAX_COUNTED * max(total, MAX_COUNTED)), is_known))
    return total, sizes


def _tag_counts(session: Session, conditions: Conditions, archived: Sequence[bool]) -> dict[str, int]:
    """By the names of the filters. An entry with several tags below one counts several times, as it is read."""
    ids = [tag_id for group in conditions.tag_groups for tag_id in group]
    if not ids:
        return {f"tag {number}": 0 for number in range(len(conditions.tag_groups))}
    rows = session.execute(TAG_COUNTS, {"ids": ids, "archived": list(archived)})
    counts = {row.tag_id: row.entries for row in rows}
    return {f"tag {n}": sum(counts.get(tag_id, 0) for tag_id in group) for n, group in enumerate(conditions.tag_groups)}


def _kept_count(source: Source, filters: Filters, counts: Sequence[EntryCount], tags: dict[str, int]) -> int | None:
    if source.filters_applied[-1] in tags:
        return tags[source.filters_applied[-1]]
    if source is STARRED:
        return sum(each.entries for each in counts if each.is_starred)
    if not {*source.filters_applied} <= {"archived", "kind", "status", "unread"}:
        return None
    found = [each for each in counts if "kind" not in source.filters_applied or filters.kind in (None, each.kind)]
    if "unread" in source.filters_applied:
        return sum(each.entries for each in found if each.status == "succeeded" and not each.is_read)
    return sum(each.entries for each in found if filters.status in (None, each.status))


def _count_rows(session: Session, source: Source, filters: Filters, conditions: Conditions, *, limit: int) -> int:
    """At most one more than `limit`. In its order, which keeps the planner from reading the table itself."""
    statement = text(f"""
        SELECT count(*) FROM (
            SELECT FROM unnest(CAST(:archived AS boolean[])) AS wanted(is_archived){source.ranges}
            CROSS JOIN LATERAL (
                SELECT FROM {source.rows} WHERE {source.condition} ORDER BY {source.order} LIMIT :max_rows
            ) AS entry LIMIT :max_rows
        ) AS counted
    """)  # noqa: S608 - our own constants
    size: int = session.execute(statement, range_values(filters, conditions) | {"max_rows": limit + 1}).scalar_one()
    return size
