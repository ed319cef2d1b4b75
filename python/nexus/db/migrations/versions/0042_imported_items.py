"""Imported items are told as one change of the library, and the text that came with one is the last resort"""

from alembic import op

revision = "0042"
down_revision = "0041"

# As in 0013, for what people saved themselves. An import adds hundreds of items at once, and tells of them itself.
NOTIFY_TRIGGERS = """
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

# As in 0005, and the text that came with an import may stand in for a page that breaks whatever reads it.
MOVES = """
DROP TRIGGER items_status_moves ON items;
CREATE TRIGGER items_status_moves BEFORE UPDATE OF status ON items FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
        ('queued', 'processing'),
        ('processing', 'queued'), ('processing', 'succeeded'), ('processing', 'needs_user_text'),
        ('processing', 'failed'),
        ('needs_user_text', 'succeeded'), ('needs_user_text', 'queued'), ('failed', 'queued'), ('failed', 'succeeded')))
    EXECUTE FUNCTION refuse_status_move('status');
"""


def upgrade() -> None:
    op.execute(NOTIFY_TRIGGERS)
    op.execute(MOVES)
