"""Runs of the collection: when the last one finished, and the position of one that has not."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import text
from sqlalchemy.orm import Session

Phase = Literal["rows", "objects"]
# A library that began today has nothing to collect, and checking must not create its store.
IS_DUE = text("""
    SELECT EXISTS (SELECT FROM store_collections WHERE finished_at IS NULL)
        OR NOT EXISTS (SELECT FROM store_collections WHERE finished_at > now() - make_interval(secs => :every))
           AND (EXISTS (SELECT FROM store_collections)
                OR EXISTS (SELECT FROM blobs WHERE touched_at <= now() - make_interval(secs => :every)))
""")
BEGIN = text("""
    INSERT INTO store_collections DEFAULT VALUES
    ON CONFLICT ((finished_at IS NULL)) WHERE finished_at IS NULL DO NOTHING
""")
UNFINISHED = text("SELECT id, phase, position FROM store_collections WHERE finished_at IS NULL")
NOTE = text("""
    UPDATE store_collections SET phase = :phase, position = :position, blobs = blobs + :blobs,
        strays = strays + :strays, bytes = bytes + :bytes, leftovers = leftovers + :leftovers
    WHERE id = :id AND finished_at IS NULL
""")
FINISH = text("UPDATE store_collections SET finished_at = now() WHERE id = :id AND finished_at IS NULL")
RECORD = text("""
    INSERT INTO store_collections (started_at, finished_at, blobs, strays, bytes, leftovers)
    VALUES (least(:started_at, now()), now(), :blobs, :strays, :bytes, :leftovers)
""")
# Only the last is ever read.
DELETE = text("""
    DELETE FROM store_collections
    WHERE finished_at < (SELECT max(finished_at) FROM store_collections)
""")
LAST = text("""
    SELECT started_at, finished_at, blobs + strays AS blobs, bytes, leftovers FROM store_collections
    WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT 1
""")


@dataclass(frozen=True)
class Unfinished:
    id: int
    phase: Phase
    position: bytes


@dataclass(frozen=True)
class FinishedCollection:
    started_at: datetime
    finished_at: datetime
    blobs: int
    bytes: int
    leftovers: int  # temporary files


def is_due(session: Session, every: timedelta) -> bool:
    return bool(session.scalar(IS_DUE, {"every": every.total_seconds()}))


def begin(session: Session) -> Unfinished:
    """The run that is not finished, of whichever worker, or a new one."""
    session.execute(BEGIN)
    return Unfinished(*session.execute(UNFINISHED).one())


def note(session: Session, run: int, phase: Phase, position: bytes, removed: dict[str, int]) -> None:
    session.execute(NOTE, {"id": run, "phase": phase, "position": position} | removed)


def finish(session: Session, run: int) -> None:
    session.execute(FINISH, {"id": run})
    session.execute(DELETE)


def record(session: Session, started_at: datetime, removed: dict[str, int]) -> None:
    """A run that was made at once, by a command."""
    session.execute(RECORD, {"started_at": started_at} | removed)
    session.execute(DELETE)


def last_collection(session: Session) -> FinishedCollection | None:
    row = session.execute(LAST).one_or_none()
    return FinishedCollection(*row) if row else None
