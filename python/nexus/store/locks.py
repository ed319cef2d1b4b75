"""Who may work on the whole store at once: one collection, or any number of backups; and one check."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import StoreBusyError

# Keys of PostgreSQL's advisory locks, which end with their connection, however that ends.
CONTENT = 7_014_001
CHECK = 7_014_002


@contextmanager
def holding(database: Database, key: int, *, shared: bool = False, refusal: str) -> Iterator[Callable[[], None]]:
    """Yields a function that raises once the lock is lost with its connection; call it now and then."""
    kind = "_shared" if shared else ""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.scalar(text(f"SELECT pg_try_advisory_lock{kind}(:key)"), {"key": key}):
            raise StoreBusyError(refusal)
        try:
            yield lambda: connection.execute(text("SELECT 1")).close()
        finally:
            try:
                connection.execute(text(f"SELECT pg_advisory_unlock{kind}(:key)"), {"key": key})
            except SQLAlchemyError:
                connection.invalidate()  # the lock goes with the connection
