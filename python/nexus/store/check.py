"""Proves that the store has every blob that a row names, intact. A check that was interrupted resumes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import BlobDamagedError, BlobMissingError
from nexus.store.blobs import BlobStore
from nexus.store.locks import CHECK, advisory_lock
from nexus.store.pages import BlobState, pages
from nexus.store.rows import reference_condition, set_problem

BUSY = "The store is being checked already."
MAX_RUNS = 50
MAX_PROBLEMS = 1000
BEGIN = text("""
    INSERT INTO store_checks DEFAULT VALUES
    ON CONFLICT ((finished_at IS NULL)) WHERE finished_at IS NULL DO NOTHING
""")
UNFINISHED = text("SELECT id, position FROM store_checks WHERE finished_at IS NULL")
PROGRESS = text("""
    UPDATE store_checks SET position = :position, blobs = blobs + 1, bytes = bytes + :bytes,
        missing = missing + :missing, damaged = damaged + :damaged WHERE id = :id
""")
FINISH = text("UPDATE store_checks SET finished_at = now(), position = NULL WHERE id = :id")
DELETE = text("DELETE FROM store_checks WHERE id <= :id - :kept")
LAST = text("""
    SELECT started_at, finished_at, blobs, bytes, missing, damaged FROM store_checks
    WHERE finished_at IS NOT NULL ORDER BY id DESC LIMIT 1
""")


@dataclass(frozen=True)
class Check:
    started_at: datetime
    finished_at: datetime | None
    blobs: int
    bytes: int
    missing: int
    damaged: int


@dataclass
class Problems:
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


def check(store: BlobStore, *, restart: bool = False, progress: Callable[[int], None] = lambda _: None) -> Check:
    """`progress` gets the bytes of each blob that was read."""
    store.verify()
    with advisory_lock(store.database, CHECK, refusal=BUSY) as still_held:
        run, position = _begin(store, restart)
        for page in pages(store.database, after=position):
            for blob in page:
                if blob.is_referenced:
                    still_held()
                    _check_one(store, run, blob)
                    progress(blob.size)
        with store.database.transaction() as session:
            session.execute(FINISH, {"id": run})
            session.execute(DELETE, {"id": run, "kept": MAX_RUNS})
            last = last_check(session)
    if last is None:
        raise AssertionError("a run that was finished a moment ago is in the table")
    return last


def last_check(session: Session) -> Check | None:
    row = session.execute(LAST).one_or_none()
    return Check(*row) if row else None


def problems(session: Session) -> Problems:
    """What is known to be missing or damaged now, of what something names; at most a thousand of them."""
    referenced = reference_condition(session)
    query = text(f"SELECT sha256, problem FROM blobs b WHERE problem IS NOT NULL AND {referenced} LIMIT :limit")  # noqa: S608
    found = Problems()
    for sha256, problem in session.execute(query, {"limit": MAX_PROBLEMS}):
        (found.missing if problem == "missing" else found.damaged).append(sha256.hex())
    return found


def _begin(store: BlobStore, restart: bool) -> tuple[int, bytes]:
    with store.database.transaction() as session:
        if restart:
            session.execute(text("DELETE FROM store_checks WHERE finished_at IS NULL"))
        session.execute(BEGIN)
        run, position = session.execute(UNFINISHED).one()
    return run, position or b""


def _check_one(store: BlobStore, run: int, blob: BlobState) -> None:
    problem = _problem(store, blob)
    found: dict[str, Any] = {"id": run, "position": blob.sha256, "bytes": blob.size, "missing": 0, "damaged": 0}
    with store.database.transaction() as session:
        set_problem(session, blob.sha256, problem)
        if problem is not None and _is_referenced(session, blob.sha256):  # else collected since
            found[problem] = 1
        session.execute(PROGRESS, found)


def _problem(store: BlobStore, blob: BlobState) -> str | None:
    size = 0
    try:
        for chunk in store.read(blob.sha256):
            size += len(chunk)
    except BlobMissingError:
        return "missing"
    except BlobDamagedError:
        return "damaged"
    return None if size == blob.size else "damaged"


def _is_referenced(session: Session, sha256: bytes) -> bool:
    query = text(f"SELECT {reference_condition(session)} FROM blobs b WHERE sha256 = :sha256")  # noqa: S608
    return bool(session.scalar(query, {"sha256": sha256}))
