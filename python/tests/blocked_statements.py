"""Waits until statements of this test's database wait for a lock. Test processes share a server."""

from sqlalchemy import text

from nexus.db.session import Database
from tests.processes import eventually

_BLOCKED = text("""
    SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
""")


def blocked(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(_BLOCKED) or 0


def wait_until_blocked(database: Database, count: int = 1) -> None:
    eventually(lambda: blocked(database) >= count, f"{count} wait for a lock")
