"""Query plans while tables are being filled: the planner's statistics are out of date until the tables are analyzed
again, which PostgreSQL by itself does at most once a minute."""

from sqlalchemy import text
from sqlalchemy.orm import Session

# Through the indexes, and through the right ones. From the sixth batch into an empty database the triggers went through
# all entries of the library for each new one: six times the work.
_DISABLE_FULL_SCANS = text("""
    SELECT set_config('enable_' || name, 'off', true) FROM unnest(ARRAY['seqscan', 'hashjoin', 'mergejoin']) AS name
""")
_HAS_GROWN = text("SELECT 2 * reltuples < :rows FROM pg_class WHERE oid = CAST(:table AS regclass)")


def disable_full_scans(session: Session) -> None:
    """In this transaction: queries go through indexes, and join through them."""
    session.execute(_DISABLE_FULL_SCANS)


def analyze_if_grown(session: Session, table: str, rows: int, *others: str) -> None:
    """Each time that the table has doubled, it and the others are analyzed. `rows`: that it has, at least."""
    if session.scalar(_HAS_GROWN, {"table": table, "rows": rows}):
        session.execute(text(f"ANALYZE (SKIP_LOCKED) {', '.join((table, *others))}"))
