"""Blobs: what the store holds, which store it is, and what checking it found"""

from alembic import op

revision = "0019"
down_revision = "0018"

STORE = """
CREATE TABLE blobs (
    sha256 bytea CONSTRAINT pk_blobs PRIMARY KEY,
    size bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    touched_at timestamptz NOT NULL DEFAULT now(),
    problem text,
    CONSTRAINT ck_blobs_hash CHECK (octet_length(sha256) = 32),
    CONSTRAINT ck_blobs_size CHECK (size >= 0),
    CONSTRAINT ck_blobs_problem CHECK (problem IN ('missing', 'damaged'))
);
CREATE INDEX ix_blobs_problem ON blobs (sha256) WHERE problem IS NOT NULL;

CREATE TABLE store_identity (
    id uuid CONSTRAINT pk_store_identity PRIMARY KEY,
    the_only_one boolean NOT NULL DEFAULT true CONSTRAINT uq_store_identity_the_only_one UNIQUE,
    CONSTRAINT ck_store_identity_the_only_one CHECK (the_only_one)
);

CREATE TABLE store_checks (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_store_checks PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    position bytea,
    blobs bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    missing bigint NOT NULL DEFAULT 0,
    damaged bigint NOT NULL DEFAULT 0,
    CONSTRAINT ck_store_checks_counts CHECK (
        blobs >= 0 AND bytes >= 0 AND missing >= 0 AND damaged >= 0 AND missing + damaged <= blobs),
    CONSTRAINT ck_store_checks_end CHECK (finished_at >= started_at)
);
CREATE UNIQUE INDEX uq_store_checks_unfinished ON store_checks ((finished_at IS NULL)) WHERE finished_at IS NULL;
"""


def upgrade() -> None:
    op.execute(STORE)
