"""Pages of a library: a million entries cost what a thousand do, whatever is filtered."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services.cursors import Position, read_cursor, write_cursor
from nexus.services.library.counts import KINDS, STATUSES, Counts, count_entries
from nexus.services.library.entries import COLUMNS, ENTRIES, Entry, entry_of
from nexus.services.library.filters import Conditions, Filters, archived_values, conditions
from nexus.services.users import CurrentUser

CURSOR = "library"
FIRST_PAGE = {"before": "infinity", "before_id": UUID(int=0)}


@dataclass(frozen=True)
class Source:
    """Runs of an index that are in the order of the page already: their first rows are enough.

    PostgreSQL uses a partial index only where its condition is spelled out.
    """

    runs: str
    rows: str
    condition: str
    made: tuple[str, ...]  # filters that the condition makes
    created_at: str = "entry.created_at"


ALL = Source(
    runs=" CROSS JOIN unnest(CAST(:kinds AS text[])) AS kinds(kind)"
    " CROSS JOIN unnest(CAST(:statuses AS text[])) AS statuses(status)",
    rows="library_media AS entry",
    condition="entry.library_id = :library_id AND entry.is_archived = shelf.is_archived"
    " AND entry.kind = kinds.kind AND entry.status = statuses.status",
    made=("archived", "kind", "status"),
)
UNREAD = Source(
    runs=" CROSS JOIN unnest(CAST(:kinds AS text[])) AS kinds(kind)",
    rows="library_media AS entry",
    condition="entry.library_id = :library_id AND entry.is_archived = shelf.is_archived"
    " AND entry.kind = kinds.kind AND entry.status = 'succeeded' AND entry.read_at IS NULL",
    made=("archived", "kind", "unread"),
)
STARRED = Source(
    runs="",
    rows="library_media AS entry",
    condition="entry.library_id = :library_id AND entry.is_archived = shelf.is_archived"
    " AND entry.starred_at IS NOT NULL",
    made=("archived", "starred"),
)
TAGGED = Source(
    runs=" CROSS JOIN unnest(CAST(:tag_ids_0 AS uuid[])) AS tag(id)",
    rows="entry_tags AS tagged JOIN library_media AS entry USING (library_id, media_id)",
    condition="tagged.tag_id = tag.id AND tagged.is_set AND tagged.is_archived = shelf.is_archived",
    made=("archived", "tag 0"),
    created_at="tagged.entry_created_at",
)


@dataclass(frozen=True)
class Page:
    entries: Sequence[Entry]
    next_cursor: str | None
    counts: Counts


def list_entries(session: Session, user: CurrentUser, filters: Filters, *, limit: int, cursor: str | None) -> Page:
    """The Inbox, unless the filters ask for what is archived."""
    after = dict(zip(FIRST_PAGE, read_cursor(CURSOR, cursor), strict=True)) if cursor is not None else FIRST_PAGE
    meant = conditions(session, user, filters, archived="false")
    source = _source(filters, meant)
    values: dict[str, Any] = {
        "archived": archived_values(filters.archived, "false"),
        "kinds": [filters.kind] if filters.kind else list(KINDS),
        "statuses": [filters.status] if filters.status else list(STATUSES),
        "limit": limit + 1,
    }
    rows = session.execute(_page(source, meant.without(*source.made)), meant.values | values | after).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(
        entries=[entry_of(row) for row in rows[:limit]],
        next_cursor=write_cursor(CURSOR, Position(last.created_at, last.media_id)) if last else None,
        counts=count_entries(session, user),
    )


def _source(filters: Filters, meant: Conditions) -> Source:
    if meant.tag_groups:
        return TAGGED
    if filters.starred:
        return STARRED
    return UNREAD if filters.unread else ALL


# DISTINCT: an entry may have several tags below the one that is asked for.
@lru_cache(maxsize=256)
def _page(source: Source, others: str) -> TextClause:
    return text(f"""
        WITH page AS (
            SELECT DISTINCT ON (entry.created_at, entry.media_id) entry.*
            FROM unnest(CAST(:archived AS boolean[])) AS shelf(is_archived){source.runs}
            CROSS JOIN LATERAL (
                SELECT {COLUMNS} FROM {source.rows}
                WHERE {others}{source.condition}
                  AND ({source.created_at}, {_media_id(source)})
                      < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
                ORDER BY {source.created_at} DESC, {_media_id(source)} DESC LIMIT :limit
            ) AS entry
            ORDER BY entry.created_at DESC, entry.media_id DESC LIMIT :limit
        ) {ENTRIES} ORDER BY page.created_at DESC, page.media_id DESC
    """)  # noqa: S608 - our own constants


def _media_id(source: Source) -> str:
    return f"{source.created_at.partition('.')[0]}.media_id"
