"""A library can be walked through in the order of time, whatever kind and status its entries have"""

from alembic import op

revision = "0035"
down_revision = "0034"

# By kind and status the order of time was made of fifteen runs: a filter that finds nothing in one of them, as one of
# length among what could not be read, read the whole of it. The condition is always true: it keeps the planner from
# taking this index for one kind, where it would pass over all the others.
BY_TIME = """
CREATE INDEX ix_library_media_time ON library_media (library_id, is_archived, created_at DESC, media_id DESC)
    WHERE kind <> '';
"""


def upgrade() -> None:
    op.execute("SET LOCAL statement_timeout = 0")  # of a large library the index takes longer than a statement may
    op.execute(BY_TIME)
