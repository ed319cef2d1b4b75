"""Search is an index beside the database, built from rows: a log says which entries have changed"""

from alembic import op

revision = "0037"
down_revision = "0036"

OLD_SEARCH = """
DROP TRIGGER keep_search_text ON fragments;
DROP TRIGGER keep_search_name ON media;
DROP TRIGGER keep_search_renamed ON media;
DROP FUNCTION note_new_text();
DROP FUNCTION note_new_name();
DROP TABLE search_passages;
DROP TABLE search_waiting;
"""

# Read by each machine that has an index, from where it stopped. In the order of transactions, not of ids: a row
# that commits later may have a lower id. No keys to other tables: what is gone must be taken out of the index.
LOG = """
CREATE TABLE search_changes (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_search_changes PRIMARY KEY,
    transaction bigint NOT NULL DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS bigint),
    library_id uuid NOT NULL,
    media_id uuid NOT NULL,
    logged_at timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);
CREATE INDEX ix_search_changes_transaction ON search_changes (transaction);
CREATE INDEX ix_search_changes_logged_at ON search_changes USING brin (logged_at);

-- The last transaction whose rows were removed: an index that has not read it must be built anew. By the log itself
-- rather than by a time, since clocks jump.
CREATE TABLE search_forgotten (
    is_only boolean NOT NULL DEFAULT true CONSTRAINT pk_search_forgotten PRIMARY KEY,
    transaction bigint NOT NULL,
    CONSTRAINT ck_search_forgotten_is_only CHECK (is_only)
);
"""

# What of an entry is indexed. A change of anything else, such as the position in it, is not logged.
INDEXED = """library_id, media_id, kind, status, created_at, read_at IS NULL, is_archived, starred_at IS NULL,
                    own_title, note, site, reading_seconds"""
ENTRIES = f"""
CREATE FUNCTION log_entry_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO search_changes (library_id, media_id) SELECT library_id, media_id FROM later;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO search_changes (library_id, media_id) SELECT library_id, media_id FROM earlier;
    ELSE
        INSERT INTO search_changes (library_id, media_id)
        SELECT DISTINCT library_id, media_id FROM (
            (SELECT {INDEXED} FROM later EXCEPT SELECT {INDEXED} FROM earlier)
            UNION ALL
            (SELECT {INDEXED} FROM earlier EXCEPT SELECT {INDEXED} FROM later)
        ) AS changed;
    END IF;
    IF FOUND THEN
        PERFORM pg_notify('nexus_search', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_new_entries AFTER INSERT ON library_media
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION log_entry_changes();
CREATE TRIGGER log_changed_entries AFTER UPDATE ON library_media
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION log_entry_changes();
CREATE TRIGGER log_removed_entries AFTER DELETE ON library_media
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION log_entry_changes();
"""  # noqa: S608 - our own constants

# A text changes only with the version that is current: fragments never change, and no version is without its own.
MEDIA = """
CREATE FUNCTION log_media_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (library_id, media_id)
    SELECT library_id, media_id FROM library_media WHERE media_id = NEW.id;
    IF FOUND THEN
        PERFORM pg_notify('nexus_search', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_changed_media AFTER UPDATE ON media FOR EACH ROW
    WHEN ((NEW.title, NEW.byline, NEW.site_name, NEW.lang, NEW.current_version)
          IS DISTINCT FROM (OLD.title, OLD.byline, OLD.site_name, OLD.lang, OLD.current_version))
    EXECUTE FUNCTION log_media_changes();
"""

TAGS = """
CREATE FUNCTION log_tagged_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (library_id, media_id) SELECT DISTINCT library_id, media_id FROM changed;
    IF FOUND THEN
        PERFORM pg_notify('nexus_search', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_new_tags AFTER INSERT ON entry_tags
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_tagged_entries();
CREATE TRIGGER log_changed_tags AFTER UPDATE ON entry_tags
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_tagged_entries();
CREATE TRIGGER log_removed_tags AFTER DELETE ON entry_tags
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION log_tagged_entries();

CREATE FUNCTION log_renamed_tag() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (library_id, media_id)
    SELECT library_id, media_id FROM entry_tags WHERE tag_id = NEW.id AND is_set;
    IF FOUND THEN
        PERFORM pg_notify('nexus_search', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_renamed_tags AFTER UPDATE ON tags FOR EACH ROW
    WHEN (NEW.name_key <> OLD.name_key) EXECUTE FUNCTION log_renamed_tag();
"""


# A search that was kept shows what it showed, in the order that searches now have.
SAVED_SEARCHES = """
ALTER TABLE saved_searches DROP CONSTRAINT ck_saved_searches_sort, ADD CONSTRAINT ck_saved_searches_sort CHECK (
    sort IN ('newest', 'oldest', 'longest', 'shortest', 'title', 'recently_read', 'relevance'));
UPDATE saved_searches SET sort = 'relevance' WHERE query ? 'q';
"""


def upgrade() -> None:
    op.execute(OLD_SEARCH)
    op.execute(LOG)
    op.execute(ENTRIES)
    op.execute(MEDIA)
    op.execute(TAGS)
    op.execute(SAVED_SEARCHES)
