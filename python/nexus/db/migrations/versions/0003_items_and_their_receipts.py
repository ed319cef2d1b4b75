"""Items: the saves, their pastes, their receipts; the rows that are the queue"""

from alembic import op

revision = "0003"
down_revision = "0002"

ITEMS = """
CREATE TABLE items (
    id uuid CONSTRAINT pk_items PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_items_user_id REFERENCES users ON DELETE CASCADE,
    media_id uuid NOT NULL CONSTRAINT fk_items_media_id REFERENCES media,
    status text NOT NULL,
    status_detail text,
    source_type text NOT NULL,
    requested_url text,
    final_text_source text,
    title text,
    request_id text,
    due_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL DEFAULT 2,
    claimed_by uuid,
    claimed_at timestamptz,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_items_status
        CHECK (status IN ('queued', 'processing', 'needs_user_text', 'succeeded', 'failed')),
    CONSTRAINT ck_items_source CHECK (source_type IN ('url', 'pasted_text')),
    CONSTRAINT ck_items_text_source CHECK (final_text_source IN ('extracted_from_url', 'user_pasted_text')),
    CONSTRAINT ck_items_url CHECK (char_length(requested_url) BETWEEN 1 AND 4096),
    CONSTRAINT ck_items_url_when_from_url CHECK (source_type <> 'url' OR requested_url IS NOT NULL),
    CONSTRAINT ck_items_attempts CHECK (attempts >= 0 AND max_attempts >= 1),
    CONSTRAINT ck_items_succeeded_names_source
        CHECK ((status = 'succeeded') = (final_text_source IS NOT NULL)),
    CONSTRAINT ck_items_processing_is_claimed
        CHECK (num_nonnulls(claimed_by, claimed_at, lease_until)
               = CASE WHEN status = 'processing' THEN 3 ELSE 0 END)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200);
CREATE INDEX ix_items_shelf ON items (user_id, created_at DESC, id DESC);
CREATE INDEX ix_items_shelf_by_status ON items (user_id, status, created_at DESC, id DESC);
CREATE INDEX ix_items_due ON items (due_at, id) WHERE status = 'queued';
CREATE INDEX ix_items_leases ON items (lease_until) WHERE status = 'processing';
CREATE INDEX ix_items_media_id ON items (media_id);
CREATE TRIGGER touch BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION refuse_item_of_foreign_paste() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM media WHERE id = NEW.media_id AND owner_user_id <> NEW.user_id) THEN
        RAISE EXCEPTION 'pasted text belongs to its owner alone'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER items_pastes_are_private BEFORE INSERT OR UPDATE OF media_id, user_id ON items
    FOR EACH ROW EXECUTE FUNCTION refuse_item_of_foreign_paste();

CREATE TABLE item_pastes (
    item_id uuid CONSTRAINT pk_item_pastes PRIMARY KEY
        CONSTRAINT fk_item_pastes_item_id REFERENCES items ON DELETE CASCADE,
    user_pasted_text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_item_pastes_length CHECK (char_length(user_pasted_text) BETWEEN 1 AND 200000)
);
CREATE TRIGGER touch BEFORE UPDATE ON item_pastes FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE extraction_attempts (
    id uuid CONSTRAINT pk_extraction_attempts PRIMARY KEY DEFAULT gen_random_uuid(),
    item_id uuid NOT NULL CONSTRAINT fk_extraction_attempts_item_id REFERENCES items ON DELETE CASCADE,
    attempt_no integer NOT NULL,
    rung text NOT NULL,
    result text NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    duration_ms bigint NOT NULL,
    error_code text,
    error_detail text,
    http_status integer,
    final_url text,
    content_length bigint,
    CONSTRAINT uq_extraction_attempts_item_id_attempt_no UNIQUE (item_id, attempt_no),
    CONSTRAINT ck_extraction_attempts_no CHECK (attempt_no >= 1),
    CONSTRAINT ck_extraction_attempts_rung CHECK (rung IN ('static', 'browser')),
    CONSTRAINT ck_extraction_attempts_result CHECK (result IN ('success', 'error')),
    CONSTRAINT ck_extraction_attempts_error CHECK ((result = 'error') = (error_code IS NOT NULL)),
    CONSTRAINT ck_extraction_attempts_numbers CHECK (duration_ms >= 0 AND content_length >= 0),
    CONSTRAINT ck_extraction_attempts_http CHECK (http_status BETWEEN 100 AND 999)
);
CREATE TRIGGER extraction_attempts_never_change BEFORE UPDATE ON extraction_attempts
    FOR EACH ROW EXECUTE FUNCTION refuse_update();

-- What a client of the items API calls content: nothing is stored twice.
CREATE VIEW item_content AS
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
    FROM media JOIN fragments ON fragments.media_id = media.id
    WHERE media.id = items.media_id AND media.kind <> 'pasted_text'
) AS extracted ON true;
"""


def upgrade() -> None:
    op.execute(ITEMS)
