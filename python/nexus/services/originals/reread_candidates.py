"""Which originals can be read again: for the operator, over all users' libraries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.library.filters import Filters
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import search_ids
from nexus.services.users import CurrentUser
from nexus.text.readings.extractor_version import EXTRACTOR

Result = Literal["same", "better", "different", "worse", "unreadable"]
PAGE_SIZE = 100
MAX_FOUND = 1_000_000  # of one library

# Only the original of the current version: that of an earlier one is an earlier state of the page. The same original
# and the same extractor give the same text, so what today's extractor has read is not due, and a run that was killed is
# resumed by starting it again.
_DUE = """
    FROM media JOIN originals ON originals.media_id = media.id AND originals.version = media.current_version
    WHERE media.processing_status = 'ready_for_reading' AND originals.missing IS NULL
      AND originals.read_with < :older_than
      AND (CAST(:ids AS uuid[]) IS NULL OR media.id = ANY(:ids))
"""
COUNT = text(f"SELECT count(*) {_DUE}")
DUE = text(f"""
    SELECT media.id, originals.version {_DUE} AND media.id > :after ORDER BY media.id LIMIT :limit
""")
LOAD = text("""
    SELECT media.title, originals.content, originals.sha256,
           (SELECT string_agg(canonical_text, chr(10) ORDER BY idx) FROM fragments
            WHERE fragments.media_id = media.id AND fragments.version = :version) AS words
    FROM media JOIN originals ON originals.media_id = media.id AND originals.version = :version
    WHERE media.id = :media_id AND originals.missing IS NULL
""")
LOCK = text("SELECT FROM media WHERE id = :media_id AND current_version = :version FOR UPDATE")
NOTE = text("""
    UPDATE originals SET read_with = :extractor, reread_result = :result
    WHERE media_id = :media_id AND version = :version
""")
NAME_AGAIN = text("""
    INSERT INTO originals (media_id, version, content, sha256, size, read_with, fetched_for, is_direct)
    SELECT media_id, :new_version, content, sha256, size, :extractor, fetched_for, is_direct
    FROM originals WHERE media_id = :media_id AND version = :version
""")
RESULTS = text("""
    SELECT reread_result, count(*) FROM originals
    WHERE read_with = :extractor AND reread_result IS NOT NULL GROUP BY reread_result
""")
LIBRARIES = text("SELECT owner_user_id, id FROM libraries WHERE is_default ORDER BY id")


@dataclass(frozen=True)
class RereadCandidate:
    """A media, and its current version, whose original is read again."""

    media_id: UUID
    version: int


@dataclass(frozen=True)
class StoredReading:
    title: str | None
    content: bytes | None
    sha256: bytes | None
    words: str


def count_due(session: Session, *, older_than: int, media_ids: Sequence[UUID] | None) -> int:
    return int(session.execute(COUNT, {"older_than": _bound(older_than), "ids": _ids(media_ids)}).scalar_one())


def due_after(
    session: Session, after: UUID, *, older_than: int, media_ids: Sequence[UUID] | None, limit: int = PAGE_SIZE
) -> list[RereadCandidate]:
    values = {"older_than": _bound(older_than), "ids": _ids(media_ids), "after": after, "limit": limit}
    return [RereadCandidate(row.id, row.version) for row in session.execute(DUE, values)]


def _bound(older_than: int) -> int:
    return min(older_than, EXTRACTOR)


def _ids(media_ids: Sequence[UUID] | None) -> list[UUID] | None:
    return None if media_ids is None else list(media_ids)


def load(session: Session, candidate: RereadCandidate) -> StoredReading | None:
    """None: it was removed meanwhile."""
    row = session.execute(LOAD, {"media_id": candidate.media_id, "version": candidate.version}).one_or_none()
    if row is None:
        return None
    return StoredReading(
        row.title,
        bytes(row.content) if row.content is not None else None,
        bytes(row.sha256) if row.sha256 is not None else None,
        row.words or "",
    )


def lock_current(session: Session, candidate: RereadCandidate) -> bool:
    """False: it was removed, or has another version now."""
    values = {"media_id": candidate.media_id, "version": candidate.version}
    return session.execute(LOCK, values).one_or_none() is not None


def note_result(session: Session, candidate: RereadCandidate, result: Result, new_version: int | None = None) -> None:
    """The media is locked. A version that was added has the original it was read from."""
    values = {"media_id": candidate.media_id, "version": candidate.version, "extractor": EXTRACTOR}
    if new_version is not None:
        session.execute(NAME_AGAIN, values | {"new_version": new_version})
    session.execute(NOTE, values | {"result": result})


def results_so_far(session: Session) -> dict[str, int]:
    """How many texts had which result, in all runs with today's extractor."""
    return {row[0]: row[1] for row in session.execute(RESULTS, {"extractor": EXTRACTOR})}


def found_by(session: Session, indexes: Indexes, query: str) -> Iterator[UUID]:
    """The media that a search of any user's library finds. The last word counts as whole."""
    for user_id, library_id in session.execute(LIBRARIES).all():
        user = CurrentUser(user_id, library_id, is_operator=False)
        yield from search_ids(session, user, indexes, f"{query} ", Filters(), limit=MAX_FOUND)
