"""A search of one's library: the query read, the entries that ranking.py finds, a snippet of each."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.orm import Session

from nexus.services.cursors import Position, read_cursor, refusal, write_cursor
from nexus.services.library.entries import Entry, entry_of
from nexus.services.library.filters import Filters, conditions
from nexus.services.search.passages import MAX_CHARS
from nexus.services.search.query import MAX_TERMS, Query, Term, read_query
from nexus.services.search.ranking import BEST_PASSAGES, matching_ids, ranked_page
from nexus.services.search.snippets import Segment, cut_snippet, mark
from nexus.services.users import CurrentUser

CURSOR = "search"


@dataclass(frozen=True)
class Location:
    """Where a snippet begins; the offset is in code points of the fragment's text."""

    fragment_idx: int
    offset: int
    start_ms: int | None


@dataclass(frozen=True)
class Hit:
    entry: Entry
    title: Sequence[Segment]
    snippet: Sequence[Segment]  # empty when only the title or the source matches
    place: Location | None


@dataclass(frozen=True)
class Results:
    hits: Sequence[Hit]
    total: int | None  # with the first page only
    next_cursor: str | None


def search(
    session: Session, user: CurrentUser, typed: str, filters: Filters, *, limit: int, cursor: str | None
) -> Results:
    query = read_query(typed)
    rank, position = _read_cursor(cursor) if cursor is not None else (MAX_TERMS + 1, None)
    values: dict[str, Any] = {
        "wanted": _tsqueries(query.wanted),
        "unwanted": _tsqueries(query.unwanted),
        "rank": rank,
        "before": position.created_at if position else "infinity",
        "before_id": position.id if position else UUID(int=0),
        "limit": limit + 1,
    }
    meant = conditions(session, user, filters, archived="any")
    rows = session.execute(ranked_page(meant.without()), meant.values | values).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return Results(
        hits=_hits(session, rows[:limit], query),
        total=None if cursor is not None else (rows[0].total if rows else 0),
        next_cursor=_write_cursor(last) if last else None,
    )


def search_ids(session: Session, user: CurrentUser, typed: str, filters: Filters, *, most: int) -> Sequence[UUID]:
    """The media of all entries that a search finds, at most so many, in no order."""
    query = read_query(typed)
    meant = conditions(session, user, filters, archived="any")
    terms: dict[str, Any] = {"wanted": _tsqueries(query.wanted), "unwanted": _tsqueries(query.unwanted)}
    return session.scalars(matching_ids(meant.without()), meant.values | terms | {"most": most}).all()


def _tsqueries(terms: Sequence[Term]) -> list[str]:
    return [term.as_tsquery() for term in terms]


def _write_cursor(last: Row[Any]) -> str:
    return f"{last.in_title}.{write_cursor(CURSOR, Position(last.created_at, last.media_id))}"


def _read_cursor(cursor: str) -> tuple[int, Position]:
    rank, _, rest = cursor.partition(".")
    if rank not in map(str, range(MAX_TERMS + 1)):
        raise refusal()
    return int(rank), read_cursor(CURSOR, rest)


def _hits(session: Session, rows: Sequence[Row[Any]], query: Query) -> list[Hit]:
    values = {"ids": [row.media_id for row in rows], "wanted": _tsqueries(query.wanted), "chars": MAX_CHARS}
    fragments: defaultdict[UUID, list[Row[Any]]] = defaultdict(list)
    for fragment in session.execute(BEST_PASSAGES, values):
        fragments[fragment.media_id].append(fragment)
    return [_hit(row, fragments[row.media_id], query.wanted) for row in rows]


def _hit(row: Row[Any], fragments: Sequence[Row[Any]], terms: Sequence[Term]) -> Hit:
    entry = entry_of(row)
    snippet = cut_snippet("\n".join(fragment.words for fragment in fragments), terms)
    return Hit(
        entry=entry,
        title=mark(entry.title, terms),
        snippet=snippet.segments if snippet else (),
        place=_location(fragments, snippet.start) if snippet else None,
    )


def _location(fragments: Sequence[Row[Any]], start: int) -> Location:
    """From an offset in the joined texts to one in a fragment."""
    for fragment in fragments:
        if start <= len(fragment.words):
            return Location(fragment.idx, fragment.start + start, fragment.start_ms)
        start -= len(fragment.words) + 1
    raise ValueError("a snippet from outside its text")
