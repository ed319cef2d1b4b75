"""Which entries have changed since an index was last written."""

from collections import defaultdict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.channels import SEARCH

# Everything of transactions before it has been committed or rolled back: a later read finds no more of them.
COMPLETE_BEFORE = text("SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)")
# Another cluster, another database or a restored table counts its transactions from the start.
IDENTITY = text("""
    SELECT concat_ws('-', (SELECT system_identifier FROM pg_control_system()),
                     (SELECT oid FROM pg_database WHERE datname = current_database()),
                     CAST('search_changes' AS regclass)::oid)
""")
# Also of transactions that began after one which is still open: a long one must not delay what others save. Not of
# numbers that are not reached yet: those are of the cluster that a backup was made from.
CHANGES = text("""
    SELECT id, transaction, library_id, media_id FROM search_changes
    WHERE transaction >= :since AND transaction < CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)
""")
COUNT = text("""
    SELECT count(DISTINCT (library_id, media_id)) FROM search_changes
    WHERE transaction >= :since AND transaction < CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)
""")
# The rows of a transaction may be removed one day after the other; then its number is forgotten twice. Not rows that
# are not complete because an older transaction is open: no index begins after their number. Numbers that are not
# reached yet are of another cluster.
DELETE = text("""
    WITH gone AS (
        DELETE FROM search_changes
        WHERE logged_at < now() - make_interval(days => :days)
          AND (transaction < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)
               OR transaction >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint))
        RETURNING transaction
    )
    INSERT INTO search_forgotten (transaction) SELECT transaction FROM gone ORDER BY transaction DESC LIMIT 1
    ON CONFLICT (is_only) DO UPDATE
    SET transaction = excluded.transaction WHERE search_forgotten.transaction < excluded.transaction
""")
FORGOTTEN = text("SELECT transaction FROM search_forgotten")
NOTIFY = text("SELECT pg_notify(:channel, '')")
KEPT_DAYS = 7


@dataclass(frozen=True)
class Changes:
    """`complete_before`: what began before it need not be read again; `open`: rows from there on, which will be."""

    complete_before: int
    open: AbstractSet[int] = frozenset()
    media_ids: dict[UUID, set[UUID]] = field(default_factory=dict)
    """By library."""


def identity(session: Session) -> str:
    return str(session.scalars(IDENTITY).one())


def complete_before(session: Session) -> int:
    return int(session.scalars(COMPLETE_BEFORE).one())


def changes_since(session: Session, since: int, known: AbstractSet[int] = frozenset()) -> Changes:
    """Without the rows that are known."""
    # First the bound, then the rows: what is committed between both is read twice rather than never.
    bound = complete_before(session)
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    still_open: set[int] = set()
    for row in session.execute(CHANGES, {"since": since}):
        if row.transaction >= bound:
            still_open.add(row.id)
        if row.id not in known:
            found[row.library_id].add(row.media_id)
    return Changes(bound, still_open, dict(found))


def count_changes(session: Session, since: int) -> int:
    """Entries."""
    return int(session.scalars(COUNT, {"since": since}).one())


def is_whole(session: Session, since: int) -> bool:
    """Whether the log has all changes since then: none was forgotten, and it is no log from before.

    A number that is not reached yet is of another cluster."""
    forgotten = session.scalars(FORGOTTEN).one_or_none()
    bound = complete_before(session)
    return since <= bound and (forgotten is None or forgotten < since or forgotten >= bound)


def delete_old_changes(session: Session) -> None:
    """An index that has not been written for as long is rebuilt."""
    session.execute(DELETE, {"days": KEPT_DAYS})


def wake_indexers(session: Session) -> None:
    session.execute(NOTIFY, {"channel": SEARCH})
