"""A page can be fetched again while its text stays, and a link whose fetch failed is saved again in the same item"""

from alembic import op

revision = "0013"
down_revision = "0012"

# A row with fetch_again_of is no save: it is the place in the queue of a fetch for a save whose media can be read.
COLUMNS = """
ALTER TABLE items
    ADD COLUMN url_key bytea,
    ADD COLUMN fetched_again_at timestamptz,
    ADD COLUMN fetch_again_of uuid CONSTRAINT fk_items_fetch_again_of REFERENCES items ON DELETE CASCADE,
    ADD CONSTRAINT ck_items_url_key CHECK (octet_length(url_key) = 32),
    ADD CONSTRAINT ck_items_fetch_again_of_other CHECK (fetch_again_of <> id);
CREATE UNIQUE INDEX uq_items_fetch_again_of ON items (fetch_again_of) WHERE fetch_again_of IS NOT NULL;
-- Items from before have no key; the link as it was given stands in for it.
CREATE INDEX ix_items_failed_by_url ON items (user_id, coalesce(url_key, text_key(requested_url)))
    WHERE status IN ('needs_user_text', 'failed');
"""

# However a fetch ends or is taken away, the media it was to fill goes with it, unless it can be read by then.
LEFTOVERS = """
CREATE FUNCTION drop_media_of_fetch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM media WHERE id = OLD.media_id AND processing_status <> 'ready_for_reading';
    RETURN NULL;
END $$;
CREATE TRIGGER keep_no_media_of_a_fetch AFTER DELETE ON items FOR EACH ROW
    WHEN (OLD.fetch_again_of IS NOT NULL) EXECUTE FUNCTION drop_media_of_fetch();
"""

# As before, but a fetch is told as a change of the save it is for.
NOTIFY_TRIGGERS = """
CREATE OR REPLACE FUNCTION ring_after_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM new_items WHERE status = 'queued' AND due_at <= now()) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || coalesce(fetch_again_of, id))
    FROM (SELECT * FROM new_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION ring_after_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM new_items JOIN old_items USING (id)
        WHERE new_items.status = 'queued' AND new_items.due_at <= now()
          AND (old_items.status <> 'queued' OR old_items.due_at > new_items.due_at)
    ) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || id) FROM (
        SELECT new_items.user_id, coalesce(new_items.fetch_again_of, new_items.id) AS id
        FROM new_items JOIN old_items USING (id)
        WHERE (new_items.status, new_items.status_detail, new_items.title, new_items.media_id)
              IS DISTINCT FROM (old_items.status, old_items.status_detail, old_items.title, old_items.media_id)
        LIMIT 1000
    ) AS told;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION ring_after_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('nexus_status', user_id || ':' || coalesce(fetch_again_of, id))
    FROM (SELECT * FROM old_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
"""


def upgrade() -> None:
    op.execute(COLUMNS)
    op.execute(LEFTOVERS)
    op.execute(NOTIFY_TRIGGERS)
