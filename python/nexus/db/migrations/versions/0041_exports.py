"""A library can be written into a file by a worker, once or regularly"""

from alembic import op

revision = "0041"
down_revision = "0040"

FORMATS = "('archive', 'markdown', 'html', 'epub', 'bookmarks', 'readwise-csv')"

SCHEDULES = f"""
CREATE TABLE export_schedules (
    id uuid CONSTRAINT pk_export_schedules PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_export_schedules_user_id REFERENCES users ON DELETE CASCADE,
    format text NOT NULL,
    query text,
    every text NOT NULL,
    keep integer NOT NULL,
    destination text NOT NULL,
    starts_at timestamptz NOT NULL DEFAULT now(),
    next_at timestamptz NOT NULL DEFAULT now(),
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_export_schedules_format CHECK (format IN {FORMATS}),
    CONSTRAINT ck_export_schedules_query CHECK (query ~ '[^[:space:]]'),
    CONSTRAINT ck_export_schedules_every CHECK (every IN ('daily', 'weekly', 'monthly')),
    CONSTRAINT ck_export_schedules_keep CHECK (keep BETWEEN 1 AND 100),
    CONSTRAINT ck_export_schedules_destination CHECK (destination IN ('store', 'folder'))
);
CREATE INDEX ix_export_schedules_user_id ON export_schedules (user_id, created_at);
CREATE INDEX ix_export_schedules_next_at ON export_schedules (next_at);
"""

# `modified_ns`: of a file that was written into a folder, so that another file of that name is never taken for it.
EXPORTS = f"""
CREATE TABLE exports (
    id uuid CONSTRAINT pk_exports PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_exports_user_id REFERENCES users ON DELETE CASCADE,
    schedule_id uuid CONSTRAINT fk_exports_schedule_id REFERENCES export_schedules ON DELETE SET NULL,
    format text NOT NULL,
    query text,
    media_ids uuid[],
    status text NOT NULL DEFAULT 'queued',
    done integer NOT NULL DEFAULT 0,
    total integer NOT NULL DEFAULT 0,
    size bigint,
    filename text,
    sha256 bytea CONSTRAINT fk_exports_sha256 REFERENCES blobs,
    modified_ns bigint,
    message text,
    left_out jsonb NOT NULL DEFAULT '[]',
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    claimed_by uuid,
    claimed_at timestamptz,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    expires_at timestamptz,
    CONSTRAINT ck_exports_format CHECK (format IN {FORMATS}),
    CONSTRAINT ck_exports_query CHECK (query ~ '[^[:space:]]'),
    CONSTRAINT ck_exports_status CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    CONSTRAINT ck_exports_claim CHECK (
        num_nonnulls(claimed_by, claimed_at, lease_until) = CASE WHEN status = 'running' THEN 3 ELSE 0 END),
    CONSTRAINT ck_exports_finished_at CHECK (
        (finished_at IS NOT NULL) = (status IN ('finished', 'failed', 'cancelled'))),
    CONSTRAINT ck_exports_file CHECK (
        num_nonnulls(size, filename) = CASE WHEN status = 'finished' THEN 2 ELSE 0 END
        AND num_nonnulls(sha256, modified_ns) = CASE WHEN status = 'finished' THEN 1 ELSE 0 END),
    CONSTRAINT ck_exports_message CHECK (status <> 'failed' OR message IS NOT NULL),
    CONSTRAINT ck_exports_counts CHECK (done >= 0 AND total >= 0 AND size >= 0 AND attempts >= 0),
    CONSTRAINT ck_exports_left_out CHECK (jsonb_typeof(left_out) = 'array')
);
CREATE INDEX ix_exports_user_id ON exports (user_id, created_at);
CREATE INDEX ix_exports_schedule_id ON exports (schedule_id);
CREATE INDEX ix_exports_sha256 ON exports (sha256);
CREATE INDEX ix_exports_due_at ON exports (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX ix_exports_expires_at ON exports (expires_at) WHERE expires_at IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(SCHEDULES)
    op.execute(EXPORTS)
