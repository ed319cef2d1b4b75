"""Items that an import adds are told to open pages as a change of the library, not one by one"""

from alembic import op

revision = "0042"
down_revision = "0041"

# As in 0013, for what people saved themselves. An import adds hundreds of items at once, and tells of them itself.
BELLS = """
CREATE OR REPLACE FUNCTION ring_after_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM new_items WHERE status = 'queued' AND due_at <= now()) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || coalesce(fetch_again_of, id))
    FROM (SELECT * FROM new_items WHERE priority = 0 LIMIT 1000) AS told;
    RETURN NULL;
END $$;
"""


def upgrade() -> None:
    op.execute(BELLS)
