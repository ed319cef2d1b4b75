"""Runs of the collection: how far the one that is not finished is, and what the others removed"""

from alembic import op

revision = "0027"
down_revision = "0026"

COLLECTIONS = """
CREATE TABLE store_collections (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_store_collections PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    phase text NOT NULL DEFAULT 'rows',
    position bytea NOT NULL DEFAULT '',
    blobs bigint NOT NULL DEFAULT 0,
    strays bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    leftovers bigint NOT NULL DEFAULT 0,
    CONSTRAINT ck_store_collections_phase CHECK (phase IN ('rows', 'objects')),
    CONSTRAINT ck_store_collections_counts CHECK (blobs >= 0 AND strays >= 0 AND bytes >= 0 AND leftovers >= 0),
    CONSTRAINT ck_store_collections_end CHECK (finished_at >= started_at)
);
CREATE UNIQUE INDEX uq_store_collections_unfinished ON store_collections ((finished_at IS NULL))
    WHERE finished_at IS NULL;
"""


def upgrade() -> None:
    op.execute(COLLECTIONS)
