"""Which works on a shelf have all the words somebody asked for: those with them in the title first, then the newest."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import InvalidCursorError
from nexus.schemas.search import Hit, Piece, Place, SearchResults
from nexus.services.cursors import Position, read_cursor, write_cursor
from nexus.services.library.entries import ENTRIES, Filters, entry_of
from nexus.services.search import snippets
from nexus.services.search.passages import CHARS
from nexus.services.search.query import MAX_TERMS, Query, Term, read_query
from nexus.services.users import CurrentUser

CURSOR = "search"

# Each term by itself through the index, because a text may say one in its first paragraph and another in its last.
# What is found costs by its number, never by the size of the shelf: LIMIT 1 keeps the planner, who cannot know how
# often a word is said, from reading the whole of it.
SEARCH = text(f"""
    WITH found AS (
        SELECT passage.media_id, count(*) FILTER (WHERE passage.part = 0) AS in_title
        FROM unnest(CAST(:wanted AS text[])) WITH ORDINALITY AS asked(term, number)
        JOIN search_passages AS passage ON passage.words @@ CAST(asked.term AS tsquery)
        GROUP BY passage.media_id HAVING count(DISTINCT asked.number) = cardinality(CAST(:wanted AS text[]))
    ), placed AS (
        SELECT place.media_id, place.kind, place.status, place.created_at, place.read_at, found.in_title
        FROM found CROSS JOIN LATERAL (
            SELECT * FROM library_media WHERE library_id = :library_id AND media_id = found.media_id LIMIT 1
        ) AS place
        WHERE (CAST(:kind AS text) IS NULL OR place.kind = :kind)
          AND (CAST(:status AS text) IS NULL OR place.status = :status)
          AND (NOT :unread OR (place.status = 'succeeded' AND place.read_at IS NULL))
          AND place.media_id NOT IN (
              SELECT passage.media_id FROM unnest(CAST(:unwanted AS text[])) AS refused(term)
              JOIN search_passages AS passage ON passage.words @@ CAST(refused.term AS tsquery))
    ), page AS (
        SELECT *, count(*) OVER () AS total FROM placed
        WHERE (in_title, created_at, media_id)
              < (CAST(:rank AS bigint), CAST(:before AS timestamptz), CAST(:before_id AS uuid))
        ORDER BY in_title DESC, created_at DESC, media_id DESC LIMIT :limit
    ) {ENTRIES} ORDER BY page.in_title DESC, page.created_at DESC, page.media_id DESC
""")  # noqa: S608 - our own constant
# Of each work the passage with most of what was asked for, and only so much of its text.
PASSAGES = text("""
    SELECT page.media_id, fragments.idx, fragments.start_ms, begin.start,
           substr(fragments.canonical_text, begin.start + 1, :chars) AS words
    FROM unnest(CAST(:ids AS uuid[])) AS page(media_id)
    CROSS JOIN LATERAL (
        SELECT passage.first_fragment, passage.first_start, passage.last_fragment
        FROM search_passages AS passage
        CROSS JOIN LATERAL (
            SELECT count(*) AS terms FROM unnest(CAST(:wanted AS text[])) AS asked(term)
            WHERE passage.words @@ CAST(asked.term AS tsquery)
        ) AS said
        WHERE passage.media_id = page.media_id AND passage.part >= 2 AND said.terms > 0
        ORDER BY said.terms DESC, passage.part LIMIT 1
    ) AS best
    JOIN fragments ON fragments.media_id = page.media_id
        AND fragments.idx BETWEEN best.first_fragment AND best.last_fragment
    CROSS JOIN LATERAL (
        SELECT CASE fragments.idx WHEN best.first_fragment THEN best.first_start ELSE 0 END AS start
    ) AS begin
    ORDER BY page.media_id, fragments.idx
""")


def search(
    session: Session, user: CurrentUser, typed: str, filters: Filters, *, limit: int, cursor: str | None
) -> SearchResults:
    query = read_query(typed)
    rank, position = _read_cursor(cursor) if cursor is not None else (MAX_TERMS + 1, None)
    asked: dict[str, Any] = {
        "wanted": [term.as_tsquery() for term in query.wanted],
        "unwanted": [term.as_tsquery() for term in query.unwanted],
        "library_id": user.default_library_id,
        "kind": filters.kind,
        "status": filters.status,
        "unread": filters.unread,
    }
    page = {
        "user_id": user.user_id,
        "rank": rank,
        "before": position.created_at if position else "infinity",
        "before_id": position.id if position else UUID(int=0),
        "limit": limit + 1,
    }
    rows = session.execute(SEARCH, asked | page).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return SearchResults(
        hits=_hits(session, rows[:limit], query, asked),
        total=None if cursor is not None else (rows[0].total if rows else 0),
        next_cursor=f"{last.in_title}.{write_cursor(CURSOR, Position(last.created_at, last.media_id))}"
        if last
        else None,
    )


def _read_cursor(cursor: str) -> tuple[int, Position]:
    rank, _, rest = cursor.partition(".")
    if rank not in map(str, range(MAX_TERMS + 1)):
        raise InvalidCursorError("This cursor is not one this list gave out; start again without it.")
    return int(rank), read_cursor(CURSOR, rest)


def _hits(session: Session, rows: Sequence[Row[Any]], query: Query, asked: dict[str, Any]) -> list[Hit]:
    pieces: defaultdict[UUID, list[Row[Any]]] = defaultdict(list)
    wanted = {"ids": [row.media_id for row in rows], "wanted": asked["wanted"], "chars": CHARS}
    for piece in session.execute(PASSAGES, wanted):
        pieces[piece.media_id].append(piece)
    return [_hit(row, pieces[row.media_id], query.wanted) for row in rows]


def _hit(row: Row[Any], pieces: Sequence[Row[Any]], terms: Sequence[Term]) -> Hit:
    entry = entry_of(row)
    found = snippets.cut_snippet("\n".join(piece.words for piece in pieces), terms)
    return Hit(
        entry=entry,
        title=_wire(snippets.mark(entry.title, terms)),
        snippet=_wire(found.pieces) if found else [],
        place=_place(pieces, found.start) if found else None,
    )


def _place(pieces: Sequence[Row[Any]], start: int) -> Place:
    """Back from the joined text to the fragment that says it."""
    for piece in pieces:
        if start <= len(piece.words):
            return Place(fragment_idx=piece.idx, offset=piece.start + start, start_ms=piece.start_ms)
        start -= len(piece.words) + 1
    raise ValueError("a snippet from outside its text")


def _wire(pieces: Sequence[snippets.Piece]) -> list[Piece]:
    return [Piece(text=piece.text, hit=piece.hit) for piece in pieces]
