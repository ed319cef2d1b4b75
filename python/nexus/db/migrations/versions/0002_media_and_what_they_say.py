"""Media, their fragments, their aliases, and who may read them"""

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = """
CREATE TABLE media (
    id uuid CONSTRAINT pk_media PRIMARY KEY DEFAULT gen_random_uuid(),
    kind text NOT NULL,
    owner_user_id uuid CONSTRAINT fk_media_owner_user_id REFERENCES users ON DELETE CASCADE,
    created_by_user_id uuid CONSTRAINT fk_media_created_by_user_id REFERENCES users ON DELETE SET NULL,
    requested_url text,
    canonical_url text,
    declared_url text,
    title text,
    byline text,
    site_name text,
    lang text,
    published_at timestamptz,
    excerpt text,
    word_count integer,
    lead_image_url text,
    audio_url text,
    processing_status text NOT NULL DEFAULT 'pending',
    processing_attempts integer NOT NULL DEFAULT 0,
    processing_started_at timestamptz,
    processing_completed_at timestamptz,
    failed_at timestamptz,
    failure_stage text,
    last_error_code text,
    last_error_message text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_media_kind CHECK (kind IN ('web_article', 'pasted_text', 'podcast_episode')),
    CONSTRAINT ck_media_status
        CHECK (processing_status IN ('pending', 'extracting', 'ready_for_reading', 'failed')),
    CONSTRAINT ck_media_stage
        CHECK (failure_stage IN ('upload', 'extract', 'transcribe', 'embed', 'other')),
    CONSTRAINT ck_media_counts CHECK (processing_attempts >= 0 AND word_count >= 0),
    CONSTRAINT ck_media_pasted_is_private CHECK ((kind = 'pasted_text') = (owner_user_id IS NOT NULL)),
    CONSTRAINT ck_media_pasted_has_no_url CHECK (kind <> 'pasted_text' OR canonical_url IS NULL),
    -- A failed or unfinished article owns no URL, so it can never be the winner of a merge.
    CONSTRAINT ck_media_article_url_when_ready
        CHECK (kind <> 'web_article' OR canonical_url IS NULL OR processing_status = 'ready_for_reading'),
    CONSTRAINT ck_media_ready_is_complete
        CHECK (processing_status <> 'ready_for_reading'
               OR (processing_completed_at IS NOT NULL AND last_error_code IS NULL)),
    CONSTRAINT ck_media_failed_says_why
        CHECK (processing_status <> 'failed'
               OR num_nonnulls(failed_at, failure_stage, last_error_code) = 3)
);
CREATE UNIQUE INDEX uq_media_kind_canonical_url ON media (kind, text_key(canonical_url))
    WHERE canonical_url IS NOT NULL;
CREATE INDEX ix_media_owner_user_id ON media (owner_user_id) WHERE owner_user_id IS NOT NULL;
CREATE INDEX ix_media_created_by_user_id ON media (created_by_user_id);
CREATE TRIGGER touch BEFORE UPDATE ON media FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE fragments (
    id uuid CONSTRAINT pk_fragments PRIMARY KEY DEFAULT gen_random_uuid(),
    media_id uuid NOT NULL CONSTRAINT fk_fragments_media_id REFERENCES media ON DELETE CASCADE,
    idx integer NOT NULL,
    html_sanitized text NOT NULL,
    canonical_text text NOT NULL,
    start_ms bigint,
    end_ms bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uq_fragments_media_id_idx UNIQUE (media_id, idx),
    CONSTRAINT ck_fragments_idx CHECK (idx >= 0),
    CONSTRAINT ck_fragments_times
        CHECK (num_nonnulls(start_ms, end_ms) IN (0, 2) AND start_ms >= 0 AND end_ms >= start_ms)
);

CREATE TABLE media_aliases (
    alias_id uuid CONSTRAINT pk_media_aliases PRIMARY KEY,
    media_id uuid NOT NULL CONSTRAINT fk_media_aliases_media_id REFERENCES media ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_media_aliases_other CHECK (alias_id <> media_id)
);
CREATE INDEX ix_media_aliases_media_id ON media_aliases (media_id);

CREATE TABLE library_media (
    library_id uuid NOT NULL CONSTRAINT fk_library_media_library_id REFERENCES libraries ON DELETE CASCADE,
    media_id uuid NOT NULL CONSTRAINT fk_library_media_media_id REFERENCES media ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_library_media PRIMARY KEY (library_id, media_id)
);
CREATE INDEX ix_library_media_media_id ON library_media (media_id);
"""

RULES = """
CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never change once written', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER fragments_never_change BEFORE UPDATE ON fragments
    FOR EACH ROW EXECUTE FUNCTION refuse_update();

-- Checked at commit: the closing transaction may write the media and its fragments in any order.
-- FOR SHARE: of two transactions, one making a media ready and one taking its last fragment, the
-- second to commit sees the first.
CREATE FUNCTION require_fragment_when_ready() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    which uuid;
BEGIN
    IF TG_OP = 'DELETE' THEN
        which := OLD.media_id;
    ELSE
        which := NEW.id;
    END IF;
    PERFORM FROM media WHERE id = which AND processing_status = 'ready_for_reading' FOR SHARE;
    IF FOUND AND NOT EXISTS (SELECT FROM fragments WHERE media_id = which) THEN
        RAISE EXCEPTION 'media % is ready without a fragment', which
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER media_ready_has_fragment AFTER INSERT OR UPDATE OF processing_status ON media
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.processing_status = 'ready_for_reading') EXECUTE FUNCTION require_fragment_when_ready();
CREATE CONSTRAINT TRIGGER media_ready_keeps_fragment AFTER DELETE ON fragments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_fragment_when_ready();

CREATE FUNCTION refuse_foreign_paste_in_library() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM media JOIN libraries ON libraries.id = NEW.library_id
        WHERE media.id = NEW.media_id AND media.owner_user_id <> libraries.owner_user_id
    ) THEN
        RAISE EXCEPTION 'pasted text stays in the libraries of its owner'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER library_media_pastes_are_private BEFORE INSERT OR UPDATE ON library_media
    FOR EACH ROW EXECUTE FUNCTION refuse_foreign_paste_in_library();
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute(RULES)
