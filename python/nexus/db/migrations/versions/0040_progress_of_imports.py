"""An import says how far it is without counting its rows, and moves only as its states allow"""

from alembic import op

revision = "0040"
down_revision = "0039"

# `added` to `failed`: rows by outcome. `samples`: what was done by when, for the rate of the last minute. `fetching`:
# the items it added by status, as last counted; `is_fetching`: some may not have been fetched yet. `message`: why it
# ended by itself.
PROGRESS = """
ALTER TABLE imports
    ADD COLUMN added integer NOT NULL DEFAULT 0,
    ADD COLUMN merged integer NOT NULL DEFAULT 0,
    ADD COLUMN unchanged integer NOT NULL DEFAULT 0,
    ADD COLUMN failed integer NOT NULL DEFAULT 0,
    ADD COLUMN samples jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN fetching jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN fetching_at timestamptz,
    ADD COLUMN is_fetching boolean NOT NULL DEFAULT false,
    ADD COLUMN message text,
    ADD CONSTRAINT ck_imports_outcomes CHECK (
        added >= 0 AND merged >= 0 AND unchanged >= 0 AND failed >= 0
        AND added + merged + unchanged + failed <= loaded),
    ADD CONSTRAINT ck_imports_progress CHECK (
        jsonb_typeof(samples) = 'array' AND jsonb_typeof(fetching) = 'object'),
    -- What was not applied can still be loaded, or is loaded.
    ADD CONSTRAINT ck_imports_rows CHECK (
        status NOT IN ('previewed', 'running', 'paused') OR loaded = total OR rows_sha256 IS NOT NULL),
    ADD CONSTRAINT ck_imports_whole CHECK (
        status <> 'finished' OR added + merged + unchanged + failed = total);
CREATE INDEX ix_imports_fetching ON imports (fetching_at) WHERE is_fetching;
CREATE INDEX ix_imports_previews ON imports (created_at) WHERE status = 'previewed';

CREATE FUNCTION refuse_import_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (
        ('previewed', 'running'), ('running', 'paused'), ('paused', 'running'), ('running', 'cancelled'),
        ('paused', 'cancelled'), ('running', 'finished'), ('finished', 'running'), ('finished', 'undoing'),
        ('cancelled', 'undoing'), ('undoing', 'undone'))
    THEN
        RAISE EXCEPTION 'an import that is % does not become %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER imports_move_as_they_may BEFORE UPDATE OF status ON imports FOR EACH ROW
    WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION refuse_import_move();
"""


def upgrade() -> None:
    op.execute(PROGRESS)
