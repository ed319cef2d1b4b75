"""How the store is doing, for its operator."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import StoreError
from nexus.store.blobs import BlobStore
from nexus.store.check import Check, last_check
from nexus.store.collection_runs import FinishedCollection, last_collection
from nexus.store.identity import verify_identity
from nexus.store.rows import REFERENCES, reference_condition

TOTALS = text("SELECT count(*), coalesce(sum(size), 0)::bigint FROM blobs")


@dataclass(frozen=True)
class Usage:
    blobs: int
    bytes: int


@dataclass(frozen=True)
class StoreHealth:
    kind: str
    place: str
    problem: str | None  # why it cannot be used now
    free_bytes: int | None
    reserve_bytes: int | None  # of them for the database
    stored: Usage
    missing: int
    damaged: int
    last_check: Check | None
    last_collection: FinishedCollection | None


@dataclass(frozen=True)
class StoreStats:
    health: StoreHealth
    named_by: Mapping[str, Usage]  # table and column → the blobs it names
    unnamed: Usage  # what `collect` will remove


def health(store: BlobStore) -> StoreHealth:
    problem = _problem(store)
    with store.database.transaction() as session:
        missing, damaged = _problems(session)
        return StoreHealth(
            kind=store.backend.kind,
            place=store.backend.location,
            problem=problem,
            free_bytes=None if problem else store.backend.free_bytes(),
            reserve_bytes=store.backend.reserve,
            stored=Usage(*session.execute(TOTALS).one()),
            missing=missing,
            damaged=damaged,
            last_check=last_check(session),
            last_collection=last_collection(session),
        )


def stats(store: BlobStore) -> StoreStats:
    found = health(store)
    with store.database.transaction() as session:
        session.execute(text("SET LOCAL statement_timeout = '10min'"))  # it looks at every blob
        usages = {
            f"{table}.{column}": _usage(session, f"sha256 IN (SELECT {table}.{column} FROM {table})")  # noqa: S608
            for table, column in session.execute(REFERENCES).all()
        }
        unnamed = _usage(session, f"NOT {reference_condition(session)}")
    return StoreStats(found, usages, unnamed)


def _usage(session: Session, condition: str) -> Usage:
    query = text(f"SELECT count(*), coalesce(sum(size), 0)::bigint FROM blobs b WHERE {condition}")  # noqa: S608
    return Usage(*session.execute(query).one())


def _problem(store: BlobStore) -> str | None:
    try:
        verify_identity(store.backend, store.database)
    except StoreError as error:
        return error.message
    return None


def _problems(session: Session) -> tuple[int, int]:
    query = text(f"""
        SELECT count(*) FILTER (WHERE problem = 'missing'), count(*) FILTER (WHERE problem = 'damaged')
        FROM blobs b WHERE problem IS NOT NULL AND {reference_condition(session)}
    """)  # noqa: S608
    missing, damaged = session.execute(query).one()
    return missing, damaged
