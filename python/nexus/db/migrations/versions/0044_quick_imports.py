"""Imports are quick, and so is the queue beside them"""

from alembic import op

revision = "0044"
down_revision = "0043"

# As in 0006. The status was worked out for each item, also for the new ones, whose entries come after them. And as in
# 0034, through the keys: the plan of a first run on small tables is kept while an import fills them, and compared each
# new item with each entry, half of the time that an import of 5000 rows took.
STATUSES = """
CREATE OR REPLACE FUNCTION refresh_shelf(works uuid[], owners uuid[]) RETURNS void LANGUAGE sql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
    WITH there AS MATERIALIZED (
        SELECT DISTINCT entry.library_id, entry.media_id, touched.owner
        FROM unnest(works, owners) AS touched(work, owner)
        JOIN libraries ON libraries.owner_user_id = touched.owner
        JOIN library_media AS entry ON entry.library_id = libraries.id AND entry.media_id = touched.work
    )
    UPDATE library_media SET status = fresh.status
    FROM there CROSS JOIN LATERAL (SELECT shelf_status(there.media_id, there.owner) AS status) AS fresh
    WHERE library_media.library_id = there.library_id AND library_media.media_id = there.media_id
      AND library_media.status <> fresh.status
$$;
"""

# The condition is always true: it keeps the planner from taking this index for the items of one user, where it would
# pass over all that others have queued. A claim beside 100 000 imported items took 0.4 s.
QUEUE = """
DROP INDEX ix_items_due;
CREATE INDEX ix_items_due ON items (priority, due_at, id) WHERE status = 'queued' AND source_type <> '';
"""


def upgrade() -> None:
    op.execute("SET LOCAL statement_timeout = 0")  # of many items an index takes longer than a statement may
    op.execute(STATUSES)
    op.execute(QUEUE)
