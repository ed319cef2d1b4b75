"""Whether this is the store of this library: the marker in the store and the row in the database must agree.

A folder that is not mounted looks like an empty one, so where the database knows a store, no second one is created.
"""

import json
from datetime import datetime
from uuid import UUID, uuid4, uuid5

from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import StoreError, StoreExistsError
from nexus.store.backend import Backend
from nexus.store.failures import unavailable

FORMAT = 1
STORE_ABSENT = (
    "Where originals and pictures are kept is empty or not mounted. "
    "Mount it; if it has a new place, copy all of the old one there, nexus-store.json included. "
    "If it is lost, begin an empty one with 'nexus store begin'."
)
SELECT_STORE_ID = text("SELECT id FROM store_identity")
LOST = text("""
    UPDATE blobs SET problem = 'missing' WHERE problem IS DISTINCT FROM 'missing' AND touched_at < :begun_at
""")
REMEMBER = text("INSERT INTO store_identity (id) VALUES (:id) ON CONFLICT (the_only_one) DO NOTHING")


def verify_identity(backend: Backend, database: Database) -> None:
    """Begins a store where the library has none yet."""
    marker = read_marker(backend)
    with database.transaction() as session:
        # One at a time: two processes must not begin two stores.
        session.execute(text("SELECT pg_advisory_xact_lock(hashtext('nexus store identity'))"))
        known: UUID | None = session.scalar(SELECT_STORE_ID)
        marker = marker or read_marker(backend)  # another process may have begun it meanwhile
        if marker is None and known is not None:
            reason = f"the library's store is {known}, and there is no nexus-store.json"
            raise unavailable(backend.location, reason, STORE_ABSENT)
        if marker is None:
            marker = write_marker(backend, uuid4())
        if known is not None and marker != known:
            message = "Where originals and pictures are kept belongs to another library."
            raise unavailable(backend.location, f"its id is {marker}, the database's is {known}", message)
        if known is None:
            session.execute(REMEMBER, {"id": marker})


def problem_of_restored(backend: Backend, database: Database) -> str | None:
    """Why the store of a database that was restored cannot be used; None: it can, or there is none yet."""
    with database.transaction() as session:
        if session.scalar(SELECT_STORE_ID) is None:
            return None
    try:
        verify_identity(backend, database)
    except StoreError as error:
        return error.message
    return None


def start_new_store(backend: Backend, database: Database) -> int:
    """An empty store for a library whose own is lost; how many blobs are missing from it."""
    marker = read_marker(backend)
    with database.transaction() as session:
        known: UUID | None = session.scalar(SELECT_STORE_ID)
        begun_at: datetime = session.execute(text("SELECT clock_timestamp()")).scalar_one()
    if known is None or marker == known:
        verify_identity(backend, database)
        raise StoreExistsError(f"The store {backend.location} is there and can be used; nothing was changed.")
    # With the library's own marker the store can be used, and a blob that counts as there would not be written again.
    # So that one comes last; until then, and if this is ended, the store has one of its own.
    beginning = uuid5(known, "begin")
    if marker is None:
        write_marker(backend, beginning)
    is_empty = next(iter(backend.list()), None) is None
    if marker not in (None, beginning) and not is_empty:
        raise StoreExistsError(f"The store {backend.location} holds the blobs of another library. Use an empty one.")
    missing = _mark_as_lost(database, begun_at) if is_empty else 0  # else only its marker was lost
    write_marker(backend, known)
    return missing


def _mark_as_lost(database: Database, begun_at: datetime) -> int:
    with database.transaction() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))  # it writes every row
        session.execute(LOST, {"begun_at": begun_at})
        return session.scalar(text("SELECT count(*) FROM blobs WHERE problem = 'missing'")) or 0


def read_marker(backend: Backend) -> UUID | None:
    content = backend.read_marker()
    if content is None:
        return None
    try:
        marker = json.loads(content)
        version, identity = marker["format"], UUID(marker["id"])
    except (ValueError, KeyError, TypeError) as error:
        message = "Where originals and pictures are kept is damaged."
        raise unavailable(backend.location, "nexus-store.json cannot be read", message) from error
    if version != FORMAT:
        message = "Where originals and pictures are kept belongs to a newer Nexus."
        raise unavailable(backend.location, f"nexus-store.json has format {version}", message)
    return identity


def write_marker(backend: Backend, identity: UUID) -> UUID:
    backend.write_marker(json.dumps({"format": FORMAT, "id": str(identity)}).encode() + b"\n")
    return identity
