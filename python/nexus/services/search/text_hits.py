"""The positions in a text at which the words of a search occur."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import BrokenIndexError
from nexus.search.languages import guess_language
from nexus.search.matching import Matcher
from nexus.search.query import Query, read_query
from nexus.services.locks import find_readable
from nexus.services.search.indexes import Indexes
from nexus.services.users import CurrentUser

# As much as a novel; takes 0.15 s. The rest of a longer text is left out.
MAX_CHARS = 500_000
# More of them are of no use to a reader.
MAX_HITS = 2000

TEXT = text("""
    SELECT media.lang, media.current_version, fragments.idx, canonical_text
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = :media_id ORDER BY fragments.idx
""")


@dataclass(frozen=True)
class TextHit:
    """In code points of the fragment's text."""

    fragment_idx: int
    start: int
    end: int


@dataclass(frozen=True)
class TextHits:
    version: int | None  # None: there is no text
    hits: Sequence[TextHit]
    is_complete: bool


def text_hits(session: Session, user: CurrentUser, indexes: Indexes, media_id: UUID, typed: str) -> TextHits:
    """What a search for the same has found in it, in the order of the text."""
    query = read_query(typed)
    found = find_readable(session, user, media_id)
    rows = session.execute(TEXT, {"media_id": found}).all()
    if not rows:
        return TextHits(None, (), is_complete=True)
    version = rows[0].current_version
    if not query.groups or (query.fields and "text" not in query.fields):
        return TextHits(version, (), is_complete=True)
    lang = rows[0].lang or guess_language("\n".join(row.canonical_text for row in rows))
    matcher = Matcher(_as_searched(session, user, indexes, query), lang)
    fragments = [(row.idx, row.canonical_text) for row in rows]
    hits = list(islice(_hits(matcher, fragments), MAX_HITS + 1))
    is_whole = sum(len(words) for _, words in fragments) <= MAX_CHARS
    return TextHits(version, hits[:MAX_HITS], is_complete=is_whole and len(hits) <= MAX_HITS)


def _as_searched(session: Session, user: CurrentUser, indexes: Indexes, query: Query) -> Query:
    """With its misspelt words replaced; as typed while there is no index."""
    snapshot = indexes.open(session, user.default_library_id).snapshot
    if snapshot is None:
        return query
    try:
        return snapshot.prepare(query).query
    except BrokenIndexError as error:
        indexes.report(session, user.default_library_id, error)
        return query


def _hits(matcher: Matcher, fragments: Sequence[tuple[int, str]]) -> Iterator[TextHit]:
    left = MAX_CHARS
    for number, words in fragments:
        for span in matcher.all_spans(words[:left]):
            yield TextHit(number, span.start, span.end)
        left -= len(words)
        if left <= 0:
            return
