"""What a version of a text was read from: waiting for the store, kept there, or the reason why there is none"""

from alembic import op

revision = "0020"
down_revision = "0019"

# The content is compressed already. Few rows wait, and they are read often: by workers, and for the sum of their sizes.
ORIGINALS = """
CREATE TABLE originals (
    media_id uuid NOT NULL,
    version integer NOT NULL,
    content bytea,
    sha256 bytea CONSTRAINT fk_originals_sha256 REFERENCES blobs ON DELETE RESTRICT,
    missing text,
    size bigint,
    read_with integer NOT NULL,
    reread_result text,
    due_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_originals PRIMARY KEY (media_id, version),
    CONSTRAINT fk_originals_version FOREIGN KEY (media_id, version)
        REFERENCES media_versions (media_id, version) ON DELETE CASCADE,
    CONSTRAINT ck_originals_one_place CHECK (num_nonnulls(content, sha256, missing) = 1),
    CONSTRAINT ck_originals_missing CHECK (missing IN ('too_large', 'user_full', 'waiting_full')),
    CONSTRAINT ck_originals_size CHECK ((missing IS NULL) = (size IS NOT NULL) AND size > 0),
    CONSTRAINT ck_originals_reread_result CHECK (
        reread_result IN ('same', 'better', 'different', 'worse', 'unreadable'))
);
ALTER TABLE originals ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX ix_originals_waiting ON originals (due_at) WHERE content IS NOT NULL;
CREATE INDEX ix_originals_not_stored ON originals (missing) WHERE sha256 IS NULL;
CREATE INDEX ix_originals_sha256 ON originals (sha256) WHERE sha256 IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(ORIGINALS)
