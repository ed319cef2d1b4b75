"""Where the entries that filters mean are found: runs of an index each, so that the others need not be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.library.counts import KINDS, STATUSES
from nexus.services.library.filters import Conditions, Filters, archived_values

FEW = 2000  # so many are read and sorted in some milliseconds


@dataclass(frozen=True)
class Source:
    """`rows` with `condition` for each of the `runs`. PostgreSQL uses a partial index only where its condition is
    spelled out."""

    runs: str
    condition: str
    made: tuple[str, ...]  # the filters that the condition makes
    rows: str = "library_media AS entry"
    created_at: str = "entry.created_at"
    order: str = "entry.created_at DESC, entry.media_id DESC"  # of the index

    @property
    def media_id(self) -> str:
        return f"{self.created_at.partition('.')[0]}.media_id"


SHELF = "entry.library_id = :library_id AND entry.is_archived = shelf.is_archived"
KIND_RUNS = " CROSS JOIN unnest(CAST(:kinds AS text[])) AS kinds(kind)"
# The whole library. In the order of time, too, its first rows are quickly found for any kind and status.
ALL = Source(
    runs=f"{KIND_RUNS} CROSS JOIN unnest(CAST(:statuses AS text[])) AS statuses(status)",
    condition=f"{SHELF} AND entry.kind = kinds.kind AND entry.status = statuses.status",
    made=("archived", "kind", "status"),
)
# The same for the orders whose indexes do not know kinds and statuses.
WALK = Source(runs="", condition=SHELF, made=("archived",))
UNREAD = Source(
    runs=KIND_RUNS,
    condition=f"{SHELF} AND entry.kind = kinds.kind AND entry.status = 'succeeded' AND entry.read_at IS NULL",
    made=("archived", "kind", "unread"),
)
STARRED = Source(runs="", condition=f"{SHELF} AND entry.starred_at IS NOT NULL", made=("archived", "starred"))
HIGHLIGHTED = Source(runs="", condition=f"{SHELF} AND entry.has_highlights", made=("archived", "highlighted"))
UNTAGGED = Source(runs="", condition=f"{SHELF} AND NOT entry.has_tags", made=("archived", "untagged"))
SITE = Source(runs="", condition=f"{SHELF} AND entry.site = :site", made=("archived", "site"))


def tagged(number: int) -> Source:
    return Source(
        runs=f" CROSS JOIN unnest(CAST(:tag_ids_{number} AS uuid[])) AS tag(id)",
        # LIMIT 1 keeps the planner, which does not know how frequent the tag is, from reading the whole library.
        rows="entry_tags AS tagged CROSS JOIN LATERAL (SELECT * FROM library_media AS one"
        " WHERE one.library_id = tagged.library_id AND one.media_id = tagged.media_id LIMIT 1) AS entry",
        condition="tagged.tag_id = tag.id AND tagged.is_set AND tagged.is_archived = shelf.is_archived",
        made=("archived", f"tag {number}"),
        created_at="tagged.entry_created_at",
        order="tagged.entry_created_at DESC, tagged.media_id DESC",
    )


@dataclass(frozen=True)
class Choice:
    source: Source
    is_few: bool  # all of its entries can be read and sorted; else it is large, or nobody looked


def run_values(filters: Filters, meant: Conditions) -> dict[str, Any]:
    return meant.values | {
        "archived": archived_values(filters.archived, meant.archived),
        "kinds": [filters.kind] if filters.kind else list(KINDS),
        "statuses": [filters.status] if filters.status else list(STATUSES),
    }


def sources_of(filters: Filters, meant: Conditions) -> list[Source]:
    """One for each filter, those first that usually find least."""
    found = [tagged(number) for number in range(len(meant.tag_groups))]
    found += [SITE] if filters.site else []
    found += [HIGHLIGHTED] if filters.highlighted else []
    found += [STARRED] if filters.starred else []
    found += [UNTAGGED] if filters.untagged else []
    found += [UNREAD] if filters.unread else []
    if "minutes" in meant.sql:
        length = f"{SHELF} AND {meant.sql['minutes']}"
        found.append(Source("", length, ("archived", "minutes"), order="entry.reading_seconds, entry.media_id"))
    knows_kind = UNREAD in found
    return found + ([ALL] if filters.status or (filters.kind and not knows_kind) else [])


def choose(session: Session, filters: Filters, meant: Conditions, *, by_time: bool) -> Choice:
    """The source to read. In the order of time one source alone is quick however many entries it has."""
    sources = sources_of(filters, meant)
    in_order = [source for source in sources if "minutes" not in source.made]
    if by_time and len(sources) <= 1 and in_order == sources:
        return Choice(sources[0] if sources else ALL, is_few=False)
    size, smallest = _smallest(session, sources, filters, meant, most=FEW) if sources else (FEW + 1, ALL)
    if size <= FEW:
        return Choice(smallest, is_few=True)
    return Choice((in_order or [ALL])[0] if by_time else WALK, is_few=False)


def _smallest(
    session: Session, sources: Sequence[Source], filters: Filters, meant: Conditions, *, most: int
) -> tuple[int, Source]:
    """Of those with more than `most` the first."""
    sizes = [(_size(session, source, filters, meant, most), source) for source in sources]
    return min(sizes, key=lambda each: each[0])


def _size(session: Session, source: Source, filters: Filters, meant: Conditions, most: int) -> int:
    """At most one more than `most`. In its order, which keeps the planner from reading the table itself."""
    statement = text(f"""
        SELECT count(*) FROM (
            SELECT FROM unnest(CAST(:archived AS boolean[])) AS shelf(is_archived){source.runs}
            CROSS JOIN LATERAL (
                SELECT FROM {_index_of(source)} WHERE {source.condition} ORDER BY {source.order} LIMIT :few
            ) AS entry LIMIT :few
        ) AS counted
    """)  # noqa: S608 - our own constants
    size: int = session.execute(statement, run_values(filters, meant) | {"few": most + 1}).scalar_one()
    return size


def _index_of(source: Source) -> str:
    """Without the join, which does not change how many there are."""
    return source.rows.partition(" CROSS JOIN ")[0]


def matching(source: Source, meant: Conditions) -> str:
    """A query for the ids of all entries that are meant, in no order."""
    return f"""
        SELECT DISTINCT entry.media_id
        FROM unnest(CAST(:archived AS boolean[])) AS shelf(is_archived){source.runs}
        CROSS JOIN LATERAL (
            SELECT entry.media_id FROM {source.rows} WHERE {meant.without(*source.made)}{source.condition} LIMIT :most
        ) AS entry LIMIT :most
    """  # noqa: S608


def match_ids(session: Session, filters: Filters, meant: Conditions, *, most: int) -> Sequence[Any]:
    """The media of the entries that are meant, at most so many."""
    sources = sources_of(filters, meant) or [ALL]
    source = sources[0]
    if len(sources) > 1:
        _, source = _smallest(session, sources, filters, meant, most=max(FEW, most))
    return session.scalars(text(matching(source, meant)), run_values(filters, meant) | {"most": most}).all()
