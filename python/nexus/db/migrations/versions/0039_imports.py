"""Exports of other programs are brought into libraries, row by row, behind what people save themselves"""

from alembic import op

revision = "0039"
down_revision = "0038"

# `rows_sha256`: all rows as JSON lines, until they are in import_rows; `loaded` says how many of them are.
IMPORTS = """
CREATE TABLE imports (
    id uuid CONSTRAINT pk_imports PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_imports_user_id REFERENCES users ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'previewed',
    source text NOT NULL,
    label text NOT NULL,
    files jsonb NOT NULL,
    options jsonb NOT NULL DEFAULT '{}',
    summary jsonb NOT NULL DEFAULT '{}',
    rows_sha256 bytea CONSTRAINT fk_imports_rows_sha256 REFERENCES blobs,
    total integer NOT NULL DEFAULT 0,
    loaded integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_imports_status CHECK (
        status IN ('previewed', 'running', 'paused', 'cancelled', 'finished', 'undoing', 'undone')),
    CONSTRAINT ck_imports_names CHECK (
        source ~ '[^[:space:]]' AND char_length(source) <= 100
        AND label ~ '[^[:space:]]' AND char_length(label) <= 200),
    CONSTRAINT ck_imports_json CHECK (
        jsonb_typeof(files) = 'array' AND jsonb_typeof(options) = 'object' AND jsonb_typeof(summary) = 'object'),
    CONSTRAINT ck_imports_counts CHECK (loaded BETWEEN 0 AND total),
    CONSTRAINT ck_imports_started CHECK ((status = 'previewed') = (started_at IS NULL)),
    CONSTRAINT ck_imports_finished CHECK (
        (status IN ('previewed', 'running', 'paused')) = (finished_at IS NULL) AND finished_at >= started_at)
);
CREATE INDEX ix_imports_newest ON imports (user_id, created_at DESC, id DESC);
CREATE INDEX ix_imports_working ON imports (started_at) WHERE status IN ('running', 'undoing');
CREATE INDEX ix_imports_rows_sha256 ON imports (rows_sha256) WHERE rows_sha256 IS NOT NULL;
CREATE TRIGGER touch BEFORE UPDATE ON imports FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
"""

# `url_key`: as in items; of a row without a link, of its title and author. `content`: what came along, as it was given;
# `content_due`: the page could not be read, so that it is to become the item's text. `undo`: what the row changed.
ROWS = """
CREATE TABLE import_rows (
    import_id uuid NOT NULL CONSTRAINT fk_import_rows_import_id REFERENCES imports ON DELETE CASCADE,
    number integer NOT NULL,
    file text NOT NULL,
    line integer NOT NULL,
    url text,
    url_key bytea,
    title text,
    record jsonb NOT NULL,
    content text,
    content_type text,
    content_due boolean NOT NULL DEFAULT false,
    outcome text,
    code text,
    message text,
    item_id uuid CONSTRAINT fk_import_rows_item_id REFERENCES items ON DELETE SET NULL,
    media_id uuid CONSTRAINT fk_import_rows_media_id REFERENCES media ON DELETE SET NULL,
    undo jsonb,
    applied_at timestamptz,
    CONSTRAINT pk_import_rows PRIMARY KEY (import_id, number),
    CONSTRAINT ck_import_rows_place CHECK (number >= 0 AND line >= 0),
    CONSTRAINT ck_import_rows_url_key CHECK (octet_length(url_key) = 32),
    CONSTRAINT ck_import_rows_record CHECK (jsonb_typeof(record) = 'object'),
    CONSTRAINT ck_import_rows_content CHECK (
        (content IS NULL) = (content_type IS NULL) AND content_type IN ('html', 'text')),
    CONSTRAINT ck_import_rows_content_due CHECK (content IS NOT NULL OR NOT content_due),
    CONSTRAINT ck_import_rows_outcome CHECK (outcome IN ('added', 'merged', 'unchanged', 'failed')),
    CONSTRAINT ck_import_rows_applied CHECK ((outcome IS NULL) = (applied_at IS NULL)),
    CONSTRAINT ck_import_rows_says_why CHECK (
        (code IS NULL) = (message IS NULL) AND (outcome IS DISTINCT FROM 'failed' OR code IS NOT NULL)),
    CONSTRAINT ck_import_rows_undo CHECK (
        undo IS NULL OR jsonb_typeof(undo) = 'object' AND outcome IS NOT NULL AND outcome IN ('added', 'merged'))
);
CREATE INDEX ix_import_rows_outcome ON import_rows (import_id, outcome, number);
CREATE INDEX ix_import_rows_undo ON import_rows (import_id, number) WHERE undo IS NOT NULL;
CREATE INDEX ix_import_rows_url_key ON import_rows (url_key) WHERE url_key IS NOT NULL;
CREATE INDEX ix_import_rows_item_id ON import_rows (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX ix_import_rows_media_id ON import_rows (media_id) WHERE media_id IS NOT NULL;
CREATE INDEX ix_import_rows_content_due ON import_rows (import_id, number) WHERE content_due;

-- However an item ends: with the text that it got, what came along is no longer needed.
CREATE FUNCTION follow_items_with_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'succeeded' THEN
        UPDATE import_rows SET content = NULL, content_type = NULL, content_due = false
        WHERE item_id = NEW.id AND content IS NOT NULL;
    ELSE
        UPDATE import_rows SET content_due = true WHERE item_id = NEW.id AND content IS NOT NULL AND NOT content_due;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_import_contents AFTER UPDATE OF status ON items FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'needs_user_text', 'failed') AND NEW.status <> OLD.status)
    EXECUTE FUNCTION follow_items_with_content();
"""

# 0: a person waits for it. 1: an import added it. Also by their links, whatever became of them: the same link in an
# export, or in another one, is the same save.
QUEUE = """
ALTER TABLE items ADD COLUMN priority smallint NOT NULL DEFAULT 0,
    ADD CONSTRAINT ck_items_priority CHECK (priority IN (0, 1));
DROP INDEX ix_items_due;
CREATE INDEX ix_items_due ON items (priority, due_at, id) WHERE status = 'queued';
DROP INDEX ix_items_due_by_user;
CREATE INDEX ix_items_due_by_user ON items (user_id, priority, due_at, id) WHERE status = 'queued';
DROP INDEX ix_items_failed_by_url;
CREATE INDEX ix_items_by_url ON items (user_id, coalesce(url_key, text_key(requested_url)));
"""

# What came with an import is private, as all texts are that came from a person; without a link it has no paste either.
TEXTS = """
CREATE OR REPLACE TRIGGER media_versions_from_people_are_private BEFORE INSERT ON media_versions FOR EACH ROW
    WHEN (NEW.origin IN ('pasted', 'captured', 'uploaded', 'imported')) EXECUTE FUNCTION refuse_private_version();

CREATE OR REPLACE VIEW item_content AS
SELECT items.id AS item_id,
       item_pastes.user_pasted_text,
       extracted.text AS extracted_text,
       CASE items.final_text_source
           WHEN 'user_pasted_text' THEN coalesce(item_pastes.user_pasted_text, imported.text)
           WHEN 'extracted_from_url' THEN extracted.text
       END AS canonical_text,
       greatest(items.updated_at, item_pastes.updated_at) AS updated_at
FROM items
LEFT JOIN item_pastes ON item_pastes.item_id = items.id
LEFT JOIN LATERAL (
    SELECT string_agg(fragments.canonical_text, chr(10) ORDER BY fragments.idx) AS text
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = items.media_id AND media.kind <> 'pasted_text'
) AS extracted ON true
LEFT JOIN LATERAL (
    SELECT string_agg(fragments.canonical_text, chr(10) ORDER BY fragments.idx) AS text
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = items.media_id AND media.kind = 'pasted_text' AND item_pastes.item_id IS NULL
) AS imported ON true;
"""


def upgrade() -> None:
    op.execute("SET LOCAL statement_timeout = 0")  # of many items an index takes longer than a statement may
    op.execute(IMPORTS)
    op.execute(ROWS)
    op.execute(QUEUE)
    op.execute(TEXTS)
