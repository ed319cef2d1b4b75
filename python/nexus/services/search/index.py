"""Indexes the words of texts, titles and sources: in the transaction that writes them, else later."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.search.passages import MAX_CHARS, Passage, passages_of, vector_of

TITLE, SOURCE, FIRST_OF_TEXT = 0, 1, 2
# Some tenths of a second: items do not wait long behind a library that is indexed for the first time.
BATCH_SIZE = 20

# The media is locked before its row in search_waiting, the order of whatever removes or corrects a media.
WAITING = text("""
    SELECT media.id FROM search_waiting JOIN media ON media.id = search_waiting.media_id
    LIMIT :limit FOR KEY SHARE OF media SKIP LOCKED
""")
# Of two transactions that index the same media, the second gets no row.
TAKE = text("DELETE FROM search_waiting WHERE media_id = ANY(:ids) RETURNING media_id")
NAMES = text("""
    SELECT id, title, concat_ws(chr(10), site_name, byline, substring(
        CASE WHEN owner_user_id IS NULL THEN canonical_url ELSE requested_url END FROM '://([^/:?#]+)')) AS source
    FROM media WHERE id = ANY(:ids)
""")
TEXTS = text("""
    SELECT media_id, idx, canonical_text
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = ANY(:ids) ORDER BY media_id, idx
""")
DROP_PASSAGES = text("DELETE FROM search_passages WHERE media_id = ANY(:ids)")
ADD_PASSAGES = text("""
    INSERT INTO search_passages (media_id, part, first_fragment, first_start, last_fragment, words)
    SELECT media_id, part, first_fragment, first_start, last_fragment, CAST(words AS tsvector)
    FROM unnest(CAST(:ids AS uuid[]), CAST(:parts AS integer[]), CAST(:firsts AS integer[]), CAST(:starts AS integer[]),
                CAST(:lasts AS integer[]), CAST(:words AS text[]))
         AS given (media_id, part, first_fragment, first_start, last_fragment, words)
""")

Row = tuple[UUID, int, int | None, int | None, int | None, str]


def index_media(
    session: Session, media_ids: Sequence[UUID], passages: Mapping[UUID, Sequence[Passage]] | None = None
) -> None:
    """Those of them that wait to be indexed. Passages that are not given are made from the stored text."""
    given = passages or {}
    taken = list(session.scalars(TAKE, {"ids": list(media_ids)}))
    if taken:
        session.execute(DROP_PASSAGES, {"ids": taken})
        texts = [row for media_id in taken if media_id in given for row in _rows(media_id, given[media_id])]
        texts += _texts(session, [media_id for media_id in taken if media_id not in given])
        _write(session, _names(session, taken) + texts)


def index_waiting(session: Session) -> bool:
    """A batch of what was written without being indexed, or before there was a search; whether there may be more."""
    found = list(session.scalars(WAITING, {"limit": BATCH_SIZE}))
    if found:
        index_media(session, found)
    return len(found) == BATCH_SIZE


def _names(session: Session, media_ids: Sequence[UUID]) -> list[Row]:
    rows: list[Row] = []
    for media in session.execute(NAMES, {"ids": media_ids}):
        for part, name in ((TITLE, media.title), (SOURCE, media.source)):
            if name and (vector := vector_of(name[:MAX_CHARS])):
                rows.append((media.id, part, None, None, None, vector))
    return rows


def _texts(session: Session, media_ids: Sequence[UUID]) -> list[Row]:
    if not media_ids:
        return []
    rows: list[Row] = []
    for media_id, fragments in groupby(session.execute(TEXTS, {"ids": media_ids}), key=lambda row: row.media_id):
        rows += _rows(media_id, passages_of((row.idx, row.canonical_text) for row in fragments))
    return rows


def _rows(media_id: UUID, passages: Iterable[Passage]) -> list[Row]:
    return [(media_id, part, *passage) for part, passage in enumerate(passages, start=FIRST_OF_TEXT)]


def _write(session: Session, rows: Sequence[Row]) -> None:
    names = ("ids", "parts", "firsts", "starts", "lasts", "words")
    values: dict[str, list[Any]] = {name: [row[column] for row in rows] for column, name in enumerate(names)}
    session.execute(ADD_PASSAGES, values)
