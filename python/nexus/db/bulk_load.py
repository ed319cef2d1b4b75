"""Queries while tables are being filled: what PostgreSQL knows of them is out of date until it has counted again, which
it does by itself each minute."""

from sqlalchemy import text
from sqlalchemy.orm import Session

# Through the indexes, and through the right ones. From the sixth batch into an empty database the triggers went through
# all entries of the library for each new one: six times the work.
_USE_INDEXES = text("""
    SELECT set_config('enable_' || name, 'off', true) FROM unnest(ARRAY['seqscan', 'hashjoin', 'mergejoin']) AS name
""")
_IS_UNKNOWN = text("SELECT 2 * reltuples < :rows FROM pg_class WHERE oid = CAST(:table AS regclass)")


def use_indexes(session: Session) -> None:
    """In this transaction."""
    session.execute(_USE_INDEXES)


def count_rows(session: Session, table: str, rows: int, *others: str) -> None:
    """Each time that the table has doubled, it and the others are counted. `rows`: that it has, at least."""
    if session.scalar(_IS_UNKNOWN, {"table": table, "rows": rows}):
        session.execute(text(f"ANALYZE (SKIP_LOCKED) {', '.join((table, *others))}"))
