"""Pages of a library: a million entries cost what a thousand do, whatever is filtered."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services.cursors import Position, read_cursor, write_cursor
from nexus.services.library.counts import KINDS, STATUSES, Counts, count_entries
from nexus.services.library.entries import COLUMNS, ENTRIES, Entry, entry_of
from nexus.services.library.filters import Filters, archived_values
from nexus.services.users import CurrentUser

CURSOR = "library"
FIRST_PAGE = {"before": "infinity", "before_id": UUID(int=0)}

# Each is a few runs of one index that are in the order of the page already. PostgreSQL uses a partial index only where
# its condition is spelled out.
RUNS = {
    "all": ("kinds, statuses", "entry.kind = kinds.kind AND entry.status = statuses.status"),
    "unread": (
        "kinds",
        "entry.kind = kinds.kind AND entry.status = 'succeeded' AND entry.read_at IS NULL"
        " AND 'succeeded' = ANY(CAST(:statuses AS text[]))",
    ),
    "starred": (
        "",
        "entry.starred_at IS NOT NULL AND entry.kind = ANY(CAST(:kinds AS text[]))"
        " AND entry.status = ANY(CAST(:statuses AS text[]))"
        " AND (NOT :unread OR (entry.status = 'succeeded' AND entry.read_at IS NULL))",
    ),
}
SOURCES = {
    "kinds": "unnest(CAST(:kinds AS text[])) AS kinds(kind)",
    "statuses": "unnest(CAST(:statuses AS text[])) AS statuses(status)",
}


@dataclass(frozen=True)
class Page:
    entries: Sequence[Entry]
    next_cursor: str | None
    counts: Counts


def list_entries(session: Session, user: CurrentUser, filters: Filters, *, limit: int, cursor: str | None) -> Page:
    """The Inbox, unless the filters ask for what is archived."""
    after = dict(zip(FIRST_PAGE, read_cursor(CURSOR, cursor), strict=True)) if cursor is not None else FIRST_PAGE
    values = {
        "archived": archived_values(filters.archived, "false"),
        "kinds": [filters.kind] if filters.kind else list(KINDS),
        "statuses": [filters.status] if filters.status else list(STATUSES),
        "unread": filters.unread,
        "library_id": user.default_library_id,
        "user_id": user.user_id,
        "limit": limit + 1,
    }
    run = "starred" if filters.starred else "unread" if filters.unread else "all"
    rows = session.execute(_page(run), values | after).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(
        entries=[entry_of(row) for row in rows[:limit]],
        next_cursor=write_cursor(CURSOR, Position(last.created_at, last.media_id)) if last else None,
        counts=count_entries(session, user),
    )


@cache
def _page(run: str) -> TextClause:
    names, condition = RUNS[run]
    sources = "".join(f" CROSS JOIN {SOURCES[name]}" for name in names.split(", ") if name)
    return text(f"""
        WITH page AS (
            SELECT entry.* FROM unnest(CAST(:archived AS boolean[])) AS shelf(is_archived){sources}
            CROSS JOIN LATERAL (
                SELECT {COLUMNS} FROM library_media AS entry
                WHERE entry.library_id = :library_id AND entry.is_archived = shelf.is_archived AND {condition}
                  AND (entry.created_at, entry.media_id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
                ORDER BY entry.created_at DESC, entry.media_id DESC LIMIT :limit
            ) AS entry
            ORDER BY entry.created_at DESC, entry.media_id DESC LIMIT :limit
        ) {ENTRIES} ORDER BY page.created_at DESC, page.media_id DESC
    """)  # noqa: S608 - our own constants
