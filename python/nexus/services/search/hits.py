"""A page of search hits: the entries, checked in PostgreSQL, each with a few words around the matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Row, TextClause, text
from sqlalchemy.orm import Session

from nexus.search.matching import Matcher
from nexus.search.query import Query
from nexus.search.snippets import Segment, cut_snippet, mark
from nexus.services.library.entries import COLUMNS, ENTRIES, Entry, entry_of
from nexus.services.library.filters import Conditions

# For all texts of a page together; more would take longer than a search may.
MAX_CHARS = 2_000_000

# The text of a transcript has thousands of fragments: joined by PostgreSQL, with what it takes to find one again.
# PostgreSQL counts characters one by one, which took most of the time: only where it must. `|| ''`: each fragment is
# decompressed once, not once for its words and once for its length.
TEXTS = text("""
    SELECT media.id AS media_id, media.lang, joined.numbers, joined.starts, joined.later_lengths,
           CASE WHEN octet_length(joined.words) > :chars THEN left(joined.words, :chars) ELSE joined.words END AS words,
           CASE WHEN octet_length(joined.words) > :chars THEN char_length(joined.words) END AS length
    FROM media, LATERAL (
        SELECT string_agg(words, chr(10)) AS words, array_agg(idx) AS numbers, array_agg(start_ms) AS starts,
               array_agg(char_length(words)) FILTER (WHERE is_later) AS later_lengths
        FROM (SELECT idx, start_ms, canonical_text || '' AS words, lag(idx) OVER (ORDER BY idx) IS NOT NULL AS is_later
              FROM fragments WHERE fragments.media_id = media.id AND fragments.version = media.current_version
              ORDER BY idx) AS each
    ) AS joined
    WHERE media.id = ANY(:ids)
""")


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
    place: Location | None  # None: the snippet is not from the text


@lru_cache(maxsize=256)
def _page(conditions: str) -> TextClause:
    return text(f"""
        WITH page AS (
            SELECT {COLUMNS} FROM library_media AS entry
            WHERE {conditions}entry.library_id = :library_id AND entry.media_id = ANY(CAST(:ids AS uuid[]))
        ) {ENTRIES}
    """)  # noqa: S608 - our own constants


@lru_cache(maxsize=256)
def _ids(conditions: str) -> TextClause:
    return text(f"""
        SELECT entry.media_id FROM library_media AS entry
        WHERE {conditions}entry.library_id = :library_id AND entry.media_id = ANY(CAST(:ids AS uuid[]))
    """)  # noqa: S608 - our own constants


def check_entries(session: Session, conditions: Conditions, media_ids: Sequence[UUID]) -> list[Entry]:
    """Those that are in the library and match, in the order they are given in."""
    if not media_ids:
        return []
    rows = session.execute(_page(conditions.without()), conditions.values | {"ids": list(media_ids)})
    found = {row.media_id: entry_of(row) for row in rows}
    return [found[media_id] for media_id in media_ids if media_id in found]


def check_ids(session: Session, conditions: Conditions, media_ids: Sequence[UUID]) -> list[UUID]:
    there = set(session.scalars(_ids(conditions.without()), conditions.values | {"ids": list(media_ids)}))
    return [media_id for media_id in media_ids if media_id in there]


def show_hits(
    session: Session, entries: Sequence[Entry], query: Query, languages: Mapping[UUID, str | None]
) -> list[Hit]:
    """`languages`: of the texts that do not say theirs."""
    if not query.groups:
        return [Hit(entry, [Segment(entry.title, hit=False)], (), None) for entry in entries]
    values = {"ids": [entry.media_id for entry in entries], "chars": MAX_CHARS // max(1, len(entries))}
    texts = {row.media_id: row for row in session.execute(TEXTS, values)}
    matchers: dict[str | None, Matcher] = {}
    hits = []
    for entry in entries:
        found = texts.get(entry.media_id)
        lang = (found.lang if found else None) or languages.get(entry.media_id)
        if lang not in matchers:
            matchers[lang] = Matcher(query, lang)
        hits.append(_hit(entry, found, matchers[lang]))
    return hits


def _hit(entry: Entry, found: Row[Any] | None, matcher: Matcher) -> Hit:
    title = mark(entry.title, matcher)
    if found and found.words and (snippet := cut_snippet(found.words, matcher)):
        return Hit(entry, title, snippet.segments, _location(found, snippet.start))
    snippet = cut_snippet(entry.note, matcher) if entry.note else None
    return Hit(entry, title, snippet.segments if snippet else (), None)


def _location(found: Row[Any], start: int) -> Location:
    """From an offset in the joined texts to one in a fragment."""
    later = found.later_lengths or []
    whole = len(found.words) if found.length is None else found.length
    lengths = [whole - sum(later) - len(later), *later]
    for number, length, start_ms in zip(found.numbers, lengths, found.starts, strict=True):
        if start <= length:
            return Location(number, start, start_ms)
        start -= length + 1
    raise ValueError("a snippet from outside its text")
