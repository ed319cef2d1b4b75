"""Originals that wait for the store: written with their text, moved by a worker in the background.

A text never waits for the store. A store that is absent or full loses nothing: what is not stored yet stays in its row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.store import Blob, keep_blob
from nexus.text.originals.original_file import Missing, Original
from nexus.text.readings.extractor_version import EXTRACTOR

# About 15 000 pages: a store that is absent for long must not fill the disk of the database.
MAX_WAITING_BYTES = 512 * 1024 * 1024
# After this another worker takes what one took and did not move.
LEASE_SECONDS = 60.0

ADD = text("""
    INSERT INTO originals (media_id, version, content, missing, size, read_with, fetched_for, is_direct)
    SELECT media_id, version, CASE WHEN waiting.has_room THEN content END,
           CASE WHEN content IS NULL THEN missing WHEN NOT waiting.has_room THEN 'waiting_full' END,
           CASE WHEN waiting.has_room THEN octet_length(content) END, :extractor, fetched_for, is_direct
    FROM unnest(
        CAST(:ids AS uuid[]), CAST(:versions AS integer[]), CAST(:contents AS bytea[]), CAST(:missing AS text[]),
        CAST(:users AS uuid[]), CAST(:direct AS boolean[])
    ) AS given (media_id, version, content, missing, fetched_for, is_direct)
    CROSS JOIN (
        SELECT coalesce(sum(size), 0) < :max_waiting AS has_room FROM originals WHERE content IS NOT NULL
    ) AS waiting
""")
# A private copy of a text has the original of the text it is a copy of, and nobody sees more of it than before.
COPY = text("""
    INSERT INTO originals (media_id, version, content, sha256, missing, size, read_with, fetched_for, is_direct)
    SELECT :to_id, 1, content, sha256, missing, size, read_with, fetched_for, is_direct
    FROM media JOIN originals ON originals.media_id = media.id AND originals.version = media.current_version
    WHERE media.id = :from_id
""")
# What the first saver's link gave stays theirs only until somebody reads the same text at the page's own URL. Not while
# it waits: a worker may be about to name the blob of what it took from this row.
SHARE = text("""
    UPDATE originals SET content = :content, sha256 = NULL, missing = NULL, size = octet_length(:content),
           read_with = :extractor, reread_result = NULL, due_at = now(), fetched_for = :user_id, is_direct = true
    WHERE media_id = :media_id AND version = :version AND NOT is_direct AND content IS NULL
      AND (SELECT coalesce(sum(size), 0) FROM originals WHERE content IS NOT NULL) < :max_waiting
""")
CLAIM = text("""
    UPDATE originals SET due_at = now() + make_interval(secs => :lease)
    WHERE (media_id, version) IN (
        SELECT media_id, version FROM originals WHERE content IS NOT NULL AND due_at <= now()
        ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    RETURNING media_id, version, content, due_at
""")
# The media before its rows, as everywhere: a media that is just being removed is waited for. Only what is still leased
# to this worker: another may have moved it since, and another original may wait there, which others may see.
LOCK_MEDIA = text("SELECT FROM media WHERE id = ANY(:ids) ORDER BY id FOR KEY SHARE")
LOCK = text("""
    SELECT originals.media_id, originals.version
    FROM originals JOIN unnest(CAST(:ids AS uuid[]), CAST(:versions AS integer[]), CAST(:leases AS timestamptz[]))
        AS mine (media_id, version, due_at) USING (media_id, version, due_at)
    WHERE content IS NOT NULL ORDER BY media_id, version FOR UPDATE OF originals
""")
MOVED = text("""
    UPDATE originals SET content = NULL, sha256 = :sha256, size = :size
    WHERE media_id = :media_id AND version = :version
""")
REFUSED = text("""
    UPDATE originals SET content = NULL, size = NULL, missing = :missing
    WHERE media_id = :media_id AND version = :version
""")
BYTES = text("SELECT coalesce(sum(size), 0) FROM originals WHERE content IS NOT NULL")
COUNTS = text("""
    SELECT count(*) FILTER (WHERE content IS NOT NULL) AS waiting,
           coalesce(sum(size) FILTER (WHERE content IS NOT NULL), 0) AS waiting_bytes,
           count(*) FILTER (WHERE missing = 'too_large') AS too_large,
           count(*) FILTER (WHERE missing = 'user_full') AS user_full,
           count(*) FILTER (WHERE missing = 'waiting_full') AS waiting_full
    FROM originals WHERE sha256 IS NULL
""")


@dataclass(frozen=True)
class NewOriginal:
    """`fetched_for`: the user whose link was fetched. `is_direct`: that link was the page's own URL, which everybody
    who has the media has as well; else the link may be personal, and what it gave is for this user alone."""

    media_id: UUID
    version: int
    original: Original
    fetched_for: UUID | None
    is_direct: bool


@dataclass(frozen=True)
class WaitingOriginal:
    media_id: UUID
    version: int
    content: bytes
    due_at: datetime  # the end of the lease, which no other lease has


@dataclass(frozen=True)
class OriginalCounts:
    """What is not in the store: on its way there, or not kept, by the reason why."""

    waiting: int
    waiting_bytes: int
    too_large: int
    user_full: int
    waiting_full: int


def add_originals(session: Session, originals: Sequence[NewOriginal], *, max_waiting: int = MAX_WAITING_BYTES) -> None:
    """In the transaction that writes the versions. A version without an original has no row."""
    if originals:
        values: dict[str, Any] = {
            "ids": [each.media_id for each in originals],
            "versions": [each.version for each in originals],
            "contents": [each.original.content for each in originals],
            "missing": [each.original.missing for each in originals],
            "users": [each.fetched_for for each in originals],
            "direct": [each.is_direct for each in originals],
            "max_waiting": max_waiting,
            "extractor": EXTRACTOR,
        }
        session.execute(ADD, values)


def share_original(session: Session, new: NewOriginal) -> None:
    """The page at its own URL in the place of what a personal link gave, where both have the same text. The media is
    locked."""
    if new.is_direct and new.original.content is not None:
        values: dict[str, Any] = {
            "media_id": new.media_id, "version": new.version, "content": new.original.content,
            "user_id": new.fetched_for, "max_waiting": MAX_WAITING_BYTES, "extractor": EXTRACTOR,
        }  # fmt: skip
        session.execute(SHARE, values)


def copy_original(session: Session, from_id: UUID, to_id: UUID) -> None:
    """The media it is copied from is locked."""
    session.execute(COPY, {"from_id": from_id, "to_id": to_id})


def claim_waiting(session: Session, *, limit: int, lease_seconds: float = LEASE_SECONDS) -> list[WaitingOriginal]:
    rows = session.execute(CLAIM, {"limit": limit, "lease": lease_seconds})
    return [WaitingOriginal(row.media_id, row.version, bytes(row.content), row.due_at) for row in rows]


def settle_waiting(session: Session, stored: Sequence[tuple[WaitingOriginal, Blob | Missing]]) -> None:
    """Record the blobs, or why there are none. Rows that another worker has moved, or that were removed, stay as they
    are."""
    values = {
        "ids": [each.media_id for each, _ in stored],
        "versions": [each.version for each, _ in stored],
        "leases": [each.due_at for each, _ in stored],
    }
    session.execute(LOCK_MEDIA, values)
    still = {(row.media_id, row.version) for row in session.execute(LOCK, values)}
    for each, outcome in stored:
        key = {"media_id": each.media_id, "version": each.version}
        if (each.media_id, each.version) not in still:
            continue
        if isinstance(outcome, Blob):
            keep_blob(session, outcome)
            session.execute(MOVED, key | {"sha256": outcome.sha256, "size": outcome.size})
        else:
            session.execute(REFUSED, key | {"missing": outcome})


def count_waiting_bytes(session: Session) -> int:
    return int(session.execute(BYTES).scalar_one())


def count_originals(session: Session) -> OriginalCounts:
    return OriginalCounts(*session.execute(COUNTS).one())
