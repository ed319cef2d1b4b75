"""Who may work on the whole store at once: one collection or any number of backups, and one check.

A worker collects in steps of seconds and takes the lock for each of them, so whoever waits for the lock gets it before
the next step.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import StoreBusyError

# Keys of PostgreSQL's advisory locks, which end with their connection, however that ends.
CONTENT = 7_014_001
CHECK = 7_014_002
# A step of a worker takes two seconds, and few more where a bucket is slow.
STEP_WAIT_SECONDS = 15.0
LOCK_NOT_AVAILABLE = "55P03"


@contextmanager
def advisory_lock(
    database: Database, key: int, *, shared: bool = False, wait_seconds: float = 0, refusal: str
) -> Iterator[Callable[[], None]]:
    """Yields a function that raises once the lock is lost with its connection; call it now and then."""
    kind = "_shared" if shared else ""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not _take(connection, kind, key, wait_seconds):
            raise StoreBusyError(refusal)
        try:
            yield lambda: connection.execute(text("SELECT 1")).close()
        finally:
            try:
                connection.execute(text(f"SELECT pg_advisory_unlock{kind}(:key)"), {"key": key})
            except SQLAlchemyError:
                connection.invalidate()  # the lock goes with the connection


def _take(connection: Connection, kind: str, key: int, wait_seconds: float) -> bool:
    if not wait_seconds:
        return bool(connection.scalar(text(f"SELECT pg_try_advisory_lock{kind}(:key)"), {"key": key}))
    connection.execute(text("SELECT set_config('lock_timeout', :ms, false)"), {"ms": f"{wait_seconds * 1000:.0f}"})
    try:
        connection.execute(text(f"SELECT pg_advisory_lock{kind}(:key)"), {"key": key})
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        return False
    finally:
        connection.execute(text("RESET lock_timeout"))
    return True
