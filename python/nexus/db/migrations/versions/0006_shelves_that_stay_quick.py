"""What a shelf shows and counts is kept beside it, so that a page of it costs the same however long it is"""

from alembic import op

revision = "0006"
down_revision = "0005"

# The newest save by the library's owner tells; what nobody saved (an episode) shows how its media is doing.
# VOLATILE: after waiting for another writer it must see what that one committed.
SHELF = """
CREATE FUNCTION shelf_status(work uuid, owner uuid) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(
        (SELECT status FROM items WHERE media_id = work AND user_id = owner
         ORDER BY created_at DESC, id DESC LIMIT 1),
        (SELECT CASE processing_status
                    WHEN 'pending' THEN 'queued'
                    WHEN 'extracting' THEN 'processing'
                    WHEN 'ready_for_reading' THEN 'succeeded'
                    ELSE 'failed'
                END
         FROM media WHERE id = work))
$$;

DROP INDEX ix_items_media_id;
CREATE INDEX ix_items_of_media ON items (media_id, user_id, created_at DESC, id DESC);

ALTER TABLE library_media ADD COLUMN kind text, ADD COLUMN status text;
UPDATE library_media
SET kind = media.kind, status = shelf_status(media.id, libraries.owner_user_id)
FROM media, libraries WHERE media.id = library_media.media_id AND libraries.id = library_media.library_id;
ALTER TABLE library_media ALTER COLUMN kind SET NOT NULL, ALTER COLUMN status SET NOT NULL;
CREATE INDEX ix_library_media_shelf ON library_media (library_id, kind, status, created_at DESC, media_id DESC);

CREATE FUNCTION place_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT media.kind, shelf_status(media.id, libraries.owner_user_id) INTO NEW.kind, NEW.status
    FROM media, libraries WHERE media.id = NEW.media_id AND libraries.id = NEW.library_id;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_place BEFORE INSERT ON library_media FOR EACH ROW EXECUTE FUNCTION place_on_shelf();
"""

# Per statement, not per row: a worker claims and settles many items at once.
FOLLOW_ITEMS = """
CREATE FUNCTION refresh_shelf(works uuid[], owners uuid[]) RETURNS void LANGUAGE sql AS $$
    UPDATE library_media SET status = fresh.status
    FROM (SELECT DISTINCT work, owner FROM unnest(works, owners) AS touched(work, owner)) AS touched
    JOIN libraries ON libraries.owner_user_id = touched.owner
    CROSS JOIN LATERAL (SELECT shelf_status(touched.work, touched.owner) AS status) AS fresh
    WHERE library_media.library_id = libraries.id AND library_media.media_id = touched.work
      AND library_media.status <> fresh.status
$$;

CREATE FUNCTION follow_new_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(media_id), array_agg(user_id)) FROM later;
    RETURN NULL;
END $$;
CREATE FUNCTION follow_gone_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(media_id), array_agg(user_id)) FROM earlier;
    RETURN NULL;
END $$;
CREATE FUNCTION follow_changed_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(touched.media_id), array_agg(touched.user_id))
    FROM later JOIN earlier USING (id)
    CROSS JOIN LATERAL (VALUES (later.media_id, later.user_id), (earlier.media_id, earlier.user_id))
        AS touched(media_id, user_id)
    WHERE (later.status, later.media_id) IS DISTINCT FROM (earlier.status, earlier.media_id)
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_shelf_new AFTER INSERT ON items
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION follow_new_items();
CREATE TRIGGER keep_shelf_changed AFTER UPDATE ON items
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION follow_changed_items();
CREATE TRIGGER keep_shelf_gone AFTER DELETE ON items
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION follow_gone_items();

CREATE FUNCTION follow_episode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE library_media SET status = shelf_status(media_id, libraries.owner_user_id)
    FROM libraries WHERE libraries.id = library_media.library_id AND library_media.media_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_shelf_episode AFTER UPDATE OF processing_status ON media FOR EACH ROW
    WHEN (NEW.kind = 'podcast_episode' AND NEW.processing_status <> OLD.processing_status)
    EXECUTE FUNCTION follow_episode();
"""

# A log of differences instead of a number: a number would be one row that every save and every settled item
# of a user waits for. Now and then the log of a shelf is folded; SKIP LOCKED lets several do it at once.
COUNTS = """
CREATE TABLE shelf_counts (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_shelf_counts PRIMARY KEY,
    library_id uuid NOT NULL CONSTRAINT fk_shelf_counts_library_id REFERENCES libraries ON DELETE CASCADE,
    kind text NOT NULL,
    status text NOT NULL,
    difference bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ix_shelf_counts_library_id ON shelf_counts (library_id);
INSERT INTO shelf_counts (library_id, kind, status, difference)
SELECT library_id, kind, status, count(*) FROM library_media GROUP BY library_id, kind, status;

CREATE FUNCTION fold_shelf_counts(shelf uuid) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM shelf_counts WHERE id = ANY (ARRAY(
            SELECT id FROM shelf_counts WHERE library_id = shelf LIMIT 5000 FOR UPDATE SKIP LOCKED))
        RETURNING kind, status, difference
    )
    INSERT INTO shelf_counts (library_id, kind, status, difference)
    SELECT shelf, kind, status, sum(difference) FROM taken GROUP BY kind, status HAVING sum(difference) <> 0
$$;

CREATE FUNCTION count_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fold boolean := random() < 0.02;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO shelf_counts (library_id, kind, status, difference)
        SELECT library_id, kind, status, count(*) FROM later GROUP BY library_id, kind, status;
    ELSIF TG_OP = 'DELETE' THEN
        -- Not for a library that is going itself.
        INSERT INTO shelf_counts (library_id, kind, status, difference)
        SELECT library_id, kind, status, -count(*) FROM earlier
        WHERE EXISTS (SELECT FROM libraries WHERE libraries.id = earlier.library_id)
        GROUP BY library_id, kind, status;
        RETURN NULL;
    ELSE
        INSERT INTO shelf_counts (library_id, kind, status, difference)
        SELECT library_id, kind, status, sum(one) FROM (
            SELECT library_id, kind, status, 1 AS one FROM later
            UNION ALL SELECT library_id, kind, status, -1 FROM earlier
        ) AS moved GROUP BY library_id, kind, status HAVING sum(one) <> 0;
    END IF;
    IF fold THEN
        PERFORM fold_shelf_counts(library_id) FROM (SELECT DISTINCT library_id FROM later LIMIT 20) AS shelves;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_counts_new AFTER INSERT ON library_media
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_on_shelf();
CREATE TRIGGER keep_counts_changed AFTER UPDATE ON library_media
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_on_shelf();
CREATE TRIGGER keep_counts_gone AFTER DELETE ON library_media
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION count_on_shelf();
"""

# The image proxy fetches only what a readable text shows: the very addresses the sanitizer wrote.
IMAGES = r"""
CREATE TABLE media_images (
    url_key bytea NOT NULL,
    media_id uuid NOT NULL CONSTRAINT fk_media_images_media_id REFERENCES media ON DELETE CASCADE,
    CONSTRAINT pk_media_images PRIMARY KEY (url_key, media_id)
);
CREATE INDEX ix_media_images_media_id ON media_images (media_id);
CREATE INDEX ix_media_lead_image ON media (text_key(lead_image_url)) WHERE lead_image_url IS NOT NULL;

CREATE FUNCTION note_images() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO media_images (url_key, media_id)
    SELECT text_key(matched[1]), NEW.media_id
    FROM regexp_matches(NEW.html_sanitized, 'src="/media/image\?url=([A-Za-z0-9_.~%-]+)"', 'g') AS matched
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_images AFTER INSERT ON fragments FOR EACH ROW
    WHEN (NEW.html_sanitized LIKE '%src="/media/image?url=%') EXECUTE FUNCTION note_images();
INSERT INTO media_images (url_key, media_id)
SELECT text_key(matched[1]), media_id
FROM fragments, regexp_matches(html_sanitized, 'src="/media/image\?url=([A-Za-z0-9_.~%-]+)"', 'g') AS matched
ON CONFLICT DO NOTHING;
"""


def upgrade() -> None:
    op.execute(SHELF)
    op.execute(FOLLOW_ITEMS)
    op.execute(COUNTS)
    op.execute(IMAGES)
