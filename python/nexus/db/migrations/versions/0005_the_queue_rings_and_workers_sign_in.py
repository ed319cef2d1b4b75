"""The queue rings by itself, statuses move only along the lifecycle, and workers sign in"""

from alembic import op

revision = "0005"
down_revision = "0004"

MOVES = """
CREATE FUNCTION refuse_status_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% cannot go from % to %', TG_TABLE_NAME, to_jsonb(OLD) ->> TG_ARGV[0], to_jsonb(NEW) ->> TG_ARGV[0]
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER items_status_moves BEFORE UPDATE OF status ON items FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
        ('queued', 'processing'),
        ('processing', 'queued'), ('processing', 'succeeded'), ('processing', 'needs_user_text'),
        ('processing', 'failed'),
        ('needs_user_text', 'succeeded'), ('needs_user_text', 'queued'), ('failed', 'queued')))
    EXECUTE FUNCTION refuse_status_move('status');
-- Highlights and merges rely on it: an article that could be read stays readable.
CREATE TRIGGER media_ready_is_final BEFORE UPDATE OF processing_status ON media FOR EACH ROW
    WHEN (OLD.kind = 'web_article' AND OLD.processing_status = 'ready_for_reading'
          AND NEW.processing_status <> 'ready_for_reading')
    EXECUTE FUNCTION refuse_status_move('processing_status');
"""

# Per statement, so that a batch rings once: a committing NOTIFY takes a lock of the whole database.
# Each list stops at a thousand: who writes more at once is loading a backup, not saving pages.
NOTIFY_TRIGGERS = """
CREATE FUNCTION ring_after_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM new_items WHERE status = 'queued' AND due_at <= now()) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || id) FROM (SELECT * FROM new_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
CREATE FUNCTION ring_after_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM new_items JOIN old_items USING (id)
        WHERE new_items.status = 'queued' AND new_items.due_at <= now()
          AND (old_items.status <> 'queued' OR old_items.due_at > new_items.due_at)
    ) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || id) FROM (
        SELECT new_items.user_id, new_items.id FROM new_items JOIN old_items USING (id)
        WHERE (new_items.status, new_items.status_detail, new_items.title, new_items.media_id)
              IS DISTINCT FROM (old_items.status, old_items.status_detail, old_items.title, old_items.media_id)
        LIMIT 1000
    ) AS told;
    RETURN NULL;
END $$;
CREATE FUNCTION ring_after_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('nexus_status', user_id || ':' || id) FROM (SELECT * FROM old_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
CREATE TRIGGER items_ring_after_insert AFTER INSERT ON items REFERENCING NEW TABLE AS new_items
    FOR EACH STATEMENT EXECUTE FUNCTION ring_after_insert();
CREATE TRIGGER items_ring_after_update AFTER UPDATE ON items
    REFERENCING NEW TABLE AS new_items OLD TABLE AS old_items
    FOR EACH STATEMENT EXECUTE FUNCTION ring_after_update();
CREATE TRIGGER items_ring_after_delete AFTER DELETE ON items REFERENCING OLD TABLE AS old_items
    FOR EACH STATEMENT EXECUTE FUNCTION ring_after_delete();
"""

QUEUE = """
-- The claim asks each waiting user for the head of their queue.
CREATE INDEX ix_items_due_by_user ON items (user_id, due_at, id) WHERE status = 'queued';
-- When a relay last sent this one to Celery: what nobody claimed is sent again.
ALTER TABLE items ADD COLUMN published_at timestamptz;

CREATE TABLE workers (
    id uuid CONSTRAINT pk_workers PRIMARY KEY,
    engine text NOT NULL,
    host text NOT NULL,
    can_render boolean NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_workers_engine CHECK (engine IN ('postgres', 'celery', 'relay'))
);
"""


def upgrade() -> None:
    op.execute(MOVES)
    op.execute(NOTIFY_TRIGGERS)
    op.execute(QUEUE)
