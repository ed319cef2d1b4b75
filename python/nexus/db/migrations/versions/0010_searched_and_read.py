"""Every word on a shelf can be found, and each person knows what they have not read yet"""

from alembic import op

revision = "0010"
down_revision = "0009"

# The words come from nexus.services.search, the same for the index and for a question, so that neither the server's
# locale nor an extension decides what is found. Whoever writes a text or a name only leaves word that it is to be
# done: our own services do it in the same transaction, workers do the rest.
SEARCH = """
CREATE TABLE search_passages (
    media_id uuid NOT NULL CONSTRAINT fk_search_passages_media_id REFERENCES media ON DELETE CASCADE,
    part integer NOT NULL,
    first_fragment integer,
    first_start integer,
    last_fragment integer,
    words tsvector NOT NULL,
    CONSTRAINT pk_search_passages PRIMARY KEY (media_id, part),
    CONSTRAINT ck_search_passages_part CHECK (part >= 0),
    -- 0 is the title, 1 where it comes from; from 2 on they say which piece of the text they hold.
    CONSTRAINT ck_search_passages_place
        CHECK (num_nonnulls(first_fragment, first_start, last_fragment) = CASE WHEN part < 2 THEN 0 ELSE 3 END)
);
CREATE INDEX ix_search_passages_words ON search_passages USING gin (words);

CREATE TABLE search_waiting (
    media_id uuid CONSTRAINT pk_search_waiting PRIMARY KEY
        CONSTRAINT fk_search_waiting_media_id REFERENCES media ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
INSERT INTO search_waiting (media_id) SELECT id FROM media WHERE processing_status = 'ready_for_reading';

CREATE FUNCTION note_new_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_waiting (media_id) SELECT DISTINCT media_id FROM later ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_search_text AFTER INSERT ON fragments
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION note_new_text();

CREATE FUNCTION note_new_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_waiting (media_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_search_name AFTER INSERT ON media FOR EACH ROW
    WHEN (num_nonnulls(NEW.title, NEW.byline, NEW.site_name) > 0) EXECUTE FUNCTION note_new_name();
CREATE TRIGGER keep_search_renamed AFTER UPDATE ON media FOR EACH ROW
    WHEN ((NEW.title, NEW.byline, NEW.site_name, NEW.canonical_url)
          IS DISTINCT FROM (OLD.title, OLD.byline, OLD.site_name, OLD.canonical_url))
    EXECUTE FUNCTION note_new_name();
"""

# Unread is what could be read and was not: a save that waits or failed asks for something else.
READ = """
ALTER TABLE library_media ADD COLUMN read_at timestamptz;
CREATE INDEX ix_library_media_unread ON library_media (library_id, kind, created_at DESC, media_id DESC)
    WHERE read_at IS NULL AND status = 'succeeded';
ALTER TABLE shelf_counts ADD COLUMN is_read boolean NOT NULL DEFAULT false;
"""

# As before, by one column more.
COUNTS = """
CREATE OR REPLACE FUNCTION fold_shelf_counts(shelf uuid) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM shelf_counts WHERE id = ANY (ARRAY(
            SELECT id FROM shelf_counts WHERE library_id = shelf LIMIT 5000 FOR UPDATE SKIP LOCKED))
        RETURNING kind, status, is_read, difference
    )
    INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
    SELECT shelf, kind, status, is_read, sum(difference) FROM taken
    GROUP BY kind, status, is_read HAVING sum(difference) <> 0
$$;

CREATE OR REPLACE FUNCTION count_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fold boolean := random() < 0.02;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, count(*) FROM later
        GROUP BY library_id, kind, status, read_at IS NOT NULL;
    ELSIF TG_OP = 'DELETE' THEN
        -- Not for a library that is going itself.
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, -count(*) FROM earlier
        WHERE EXISTS (SELECT FROM libraries WHERE libraries.id = earlier.library_id)
        GROUP BY library_id, kind, status, read_at IS NOT NULL;
        RETURN NULL;
    ELSE
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, is_read, sum(one) FROM (
            SELECT library_id, kind, status, read_at IS NOT NULL AS is_read, 1 AS one FROM later
            UNION ALL SELECT library_id, kind, status, read_at IS NOT NULL, -1 FROM earlier
        ) AS moved GROUP BY library_id, kind, status, is_read HAVING sum(one) <> 0;
    END IF;
    IF fold THEN
        PERFORM fold_shelf_counts(library_id) FROM (SELECT DISTINCT library_id FROM later LIMIT 20) AS shelves;
    END IF;
    RETURN NULL;
END $$;
"""


def upgrade() -> None:
    op.execute(SEARCH)
    op.execute(READ)
    op.execute(COUNTS)
