"""The `blobs` rows: what may name a blob, and what keeps a blob that is being put from being collected."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import BlobMissingError
from nexus.store.blob import Blob

COLLECTED = "The stored bytes were collected, because no row referred to them. Store them again."

# A row that was touched a moment ago is not written again. It is locked all the same, and that is what counts: whoever
# collects this very blob is waited for.
TOUCH = text("""
    INSERT INTO blobs AS b (sha256, size) VALUES (:sha256, :size)
    ON CONFLICT (sha256) DO UPDATE SET touched_at = now() WHERE b.touched_at < now() - interval '10 minutes'
""")
# In the order of their keys: two writers of the same blobs wait for each other and never both.
TOUCH_MANY = text("""
    INSERT INTO blobs AS b (sha256, size)
    SELECT sha256, size FROM unnest(CAST(:hashes AS bytea[]), CAST(:sizes AS bigint[])) AS given (sha256, size)
    ORDER BY sha256
    ON CONFLICT (sha256) DO UPDATE SET touched_at = now() WHERE b.touched_at < now() - interval '10 minutes'
""")
PROBLEM = text("SELECT problem FROM blobs WHERE sha256 = :sha256")
PROBLEMS = text("SELECT sha256 FROM blobs WHERE sha256 = ANY(:hashes) AND problem IS NOT NULL")
# Shared, so that those who name the same blobs never wait for each other.
HOLD = text("SELECT 1 FROM blobs WHERE sha256 = :sha256 FOR KEY SHARE")
HOLD_MANY = text("SELECT sha256 FROM blobs WHERE sha256 = ANY(:hashes) ORDER BY sha256 FOR KEY SHARE")
REFERENCES = text("""
    SELECT c.conrelid::regclass::text, quote_ident(a.attname)
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = 'blobs'::regclass AND cardinality(c.conkey) = 1
    ORDER BY 1, 2
""")


def touch(database: Database, blob: Blob) -> bool:
    """In a transaction of its own, before the store is asked whether it has the blob. True: it must be written again,
    since what the store had was missing or damaged."""
    with database.transaction() as session:
        session.execute(TOUCH, {"sha256": blob.sha256, "size": blob.size})
        return session.scalar(PROBLEM, {"sha256": blob.sha256}) is not None


def touch_many(database: Database, blobs: Collection[Blob]) -> set[bytes]:
    """The same for many, each once. Returns those that must be written again."""
    values = {"hashes": [blob.sha256 for blob in blobs], "sizes": [blob.size for blob in blobs]}
    with database.transaction() as session:
        session.execute(TOUCH_MANY, values)
        return set(map(bytes, session.scalars(PROBLEMS, values)))


def keep_blob(session: Session, blob: Blob) -> None:
    """In the transaction that writes the row that names it, before that row."""
    if session.scalar(HOLD, {"sha256": blob.sha256}) is None:
        raise BlobMissingError(COLLECTED)


def keep_blobs(session: Session, hashes: Collection[bytes]) -> None:
    """The same for many."""
    if len(set(session.scalars(HOLD_MANY, {"hashes": list(hashes)}))) < len(set(hashes)):
        raise BlobMissingError(COLLECTED)


def set_problem(session: Session, sha256: bytes, problem: str | None) -> None:
    session.execute(
        text("UPDATE blobs SET problem = :problem WHERE sha256 = :sha256 AND problem IS DISTINCT FROM :problem"),
        {"sha256": sha256, "problem": problem},
    )


def note_problem(database: Database, sha256: bytes, problem: str | None) -> None:
    """In a transaction of its own."""
    with database.transaction() as session:
        set_problem(session, sha256, problem)


def note_whole(database: Database, hashes: Collection[bytes]) -> None:
    """They have just been written."""
    with database.transaction() as session:
        session.execute(
            text("UPDATE blobs SET problem = NULL WHERE sha256 = ANY(:hashes) AND problem IS NOT NULL"),
            {"hashes": list(hashes)},
        )


def reference_condition(session: Any) -> str:
    """SQL that is true for a row of `blobs` b that some row names, from the foreign keys that there are."""
    found = [
        f"EXISTS (SELECT FROM {table} WHERE {table}.{column} = b.sha256)"
        for table, column in session.execute(REFERENCES)
    ]
    return f"({' OR '.join(found) or 'false'})"
