"""A media's text has versions: a later reading is added beside the one before, and one of them is current"""

from alembic import op

revision = "0018"
down_revision = "0017"

VERSIONS = """
CREATE TABLE media_versions (
    media_id uuid NOT NULL CONSTRAINT fk_media_versions_media_id REFERENCES media ON DELETE CASCADE,
    version integer NOT NULL,
    origin text NOT NULL,
    extractor integer,
    title text,
    word_count integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_media_versions PRIMARY KEY (media_id, version),
    CONSTRAINT ck_media_versions_number CHECK (version >= 1),
    CONSTRAINT ck_media_versions_origin CHECK (origin IN (
        'fetched', 'rendered', 'captured', 'uploaded', 'pasted', 'imported', 'transcribed', 'reread')),
    CONSTRAINT ck_media_versions_counts CHECK (word_count >= 0)
);
CREATE TRIGGER media_versions_never_change BEFORE UPDATE ON media_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_update();
"""

# All text that is there becomes version 1. Who read it, the browser or a plain fetch, is in the receipt of the item
# that was read first; a short text has no attempt that succeeded, and counts as fetched.
VERSION_ONE = """
INSERT INTO media_versions (media_id, version, origin, title, word_count, created_at)
SELECT media.id, 1,
       CASE WHEN media.kind = 'pasted_text' THEN 'pasted'
            WHEN episodes.transcript_source IN ('openai', 'whisper') THEN 'transcribed'
            WHEN first_success.rung = 'browser' THEN 'rendered'
            ELSE 'fetched' END,
       media.title, media.word_count, texts.created_at
FROM media
JOIN (SELECT media_id, min(created_at) AS created_at FROM fragments GROUP BY media_id) AS texts
    ON texts.media_id = media.id
LEFT JOIN episodes ON episodes.media_id = media.id
LEFT JOIN (
    SELECT DISTINCT ON (items.media_id) items.media_id, extraction_attempts.rung
    FROM items JOIN extraction_attempts ON extraction_attempts.item_id = items.id
    WHERE extraction_attempts.result = 'success'
    ORDER BY items.media_id, extraction_attempts.finished_at
) AS first_success ON first_success.media_id = media.id;
"""

# A column with a constant default costs no rewriting of the table. Of media only the rows without a text are changed:
# those that failed or are waiting. The default is only for the rows that are there; a writer names its version.
COLUMNS = """
ALTER TABLE fragments
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    DROP CONSTRAINT uq_fragments_media_id_idx,
    DROP CONSTRAINT fk_fragments_media_id,
    ADD CONSTRAINT uq_fragments_media_id_version_idx UNIQUE (media_id, version, idx),
    ADD CONSTRAINT fk_fragments_media_id FOREIGN KEY (media_id, version)
        REFERENCES media_versions (media_id, version) ON DELETE CASCADE;
ALTER TABLE fragments ALTER COLUMN version DROP DEFAULT;

ALTER TABLE media ADD COLUMN current_version integer DEFAULT 1;
ALTER TABLE media ALTER COLUMN current_version DROP DEFAULT;
ALTER TABLE media DISABLE TRIGGER touch;
UPDATE media SET current_version = NULL
WHERE NOT EXISTS (SELECT FROM media_versions WHERE media_versions.media_id = media.id);
ALTER TABLE media ENABLE TRIGGER touch;
"""

# Ready, so it has a current version; that version exists, and a version has a fragment. The last two are checked at
# commit, so that the closing transaction may write in any order.
RULES = """
DROP TRIGGER media_ready_has_fragment ON media;
DROP TRIGGER media_ready_keeps_fragment ON fragments;
DROP FUNCTION require_fragment_when_ready();

ALTER TABLE media
    ADD CONSTRAINT ck_media_ready_has_version
        CHECK (processing_status <> 'ready_for_reading' OR current_version IS NOT NULL),
    ADD CONSTRAINT fk_media_current_version FOREIGN KEY (id, current_version)
        REFERENCES media_versions (media_id, version) DEFERRABLE INITIALLY DEFERRED;

-- The lock: of two transactions that each delete one of the last two fragments, the second sees the first.
CREATE FUNCTION require_fragment_of_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    which uuid;
    number integer;
BEGIN
    IF TG_OP = 'DELETE' THEN
        which := OLD.media_id;
        number := OLD.version;
    ELSE
        which := NEW.media_id;
        number := NEW.version;
    END IF;
    PERFORM FROM media_versions WHERE media_id = which AND version = number FOR NO KEY UPDATE;
    IF FOUND AND NOT EXISTS (SELECT FROM fragments WHERE media_id = which AND version = number) THEN
        RAISE EXCEPTION 'version % of media % has no fragment', number, which
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER media_versions_have_fragment AFTER INSERT ON media_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_fragment_of_version();
CREATE CONSTRAINT TRIGGER media_versions_keep_fragment AFTER DELETE ON fragments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_fragment_of_version();
"""

# media_images stays as it is: it has the pictures of all versions, since an old one can be opened with its pictures.
READERS = """
CREATE OR REPLACE VIEW item_content AS
SELECT items.id AS item_id,
       item_pastes.user_pasted_text,
       extracted.text AS extracted_text,
       CASE items.final_text_source
           WHEN 'user_pasted_text' THEN item_pastes.user_pasted_text
           WHEN 'extracted_from_url' THEN extracted.text
       END AS canonical_text,
       greatest(items.updated_at, item_pastes.updated_at) AS updated_at
FROM items
LEFT JOIN item_pastes ON item_pastes.item_id = items.id
LEFT JOIN LATERAL (
    SELECT string_agg(fragments.canonical_text, chr(10) ORDER BY fragments.idx) AS text
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = items.media_id AND media.kind <> 'pasted_text'
) AS extracted ON true;

-- As before, and when another version becomes current.
DROP TRIGGER keep_search_renamed ON media;
CREATE TRIGGER keep_search_renamed AFTER UPDATE ON media FOR EACH ROW
    WHEN ((NEW.title, NEW.byline, NEW.site_name, NEW.canonical_url, NEW.current_version)
          IS DISTINCT FROM (OLD.title, OLD.byline, OLD.site_name, OLD.canonical_url, OLD.current_version))
    EXECUTE FUNCTION note_new_name();

-- Everybody who has it hears that its text is another one now. The first text is told with the item.
CREATE FUNCTION tell_of_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('nexus_status', owner_user_id || ':text:' || NEW.id) FROM (
        SELECT DISTINCT libraries.owner_user_id
        FROM library_media JOIN libraries ON libraries.id = library_media.library_id
        WHERE library_media.media_id = NEW.id LIMIT 1000
    ) AS told;
    RETURN NULL;
END $$;
CREATE TRIGGER shelf_rings_for_text AFTER UPDATE OF current_version ON media FOR EACH ROW
    WHEN (NEW.current_version <> OLD.current_version) EXECUTE FUNCTION tell_of_text();
"""


def upgrade() -> None:
    # Each text and each picture of the library is looked at, here and in 0021: a large one takes longer than the limit
    # that guards against a statement which waits or runs astray.
    op.execute("SET LOCAL statement_timeout = 0")
    op.execute(VERSIONS)
    op.execute(VERSION_ONE)
    op.execute(COLUMNS)
    op.execute(RULES)
    op.execute(READERS)
