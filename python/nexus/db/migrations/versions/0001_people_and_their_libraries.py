"""People, their tokens and their libraries"""

from alembic import op

revision = "0001"
down_revision = None

PEOPLE = """
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

-- A unique key for texts that may be longer than an index row. convert_to is not marked immutable
-- because a database could have another encoding; ours is UTF8.
CREATE FUNCTION text_key(value text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT pg_catalog.sha256(pg_catalog.convert_to(value, 'UTF8'))
$$;

CREATE TABLE users (
    id uuid CONSTRAINT pk_users PRIMARY KEY DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_tokens (
    id uuid CONSTRAINT pk_api_tokens PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_api_tokens_user_id REFERENCES users ON DELETE CASCADE,
    secret_sha256 bytea NOT NULL CONSTRAINT uq_api_tokens_secret_sha256 UNIQUE,
    label text NOT NULL DEFAULT '',
    is_operator boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT ck_api_tokens_hash CHECK (octet_length(secret_sha256) = 32),
    CONSTRAINT ck_api_tokens_label CHECK (char_length(label) <= 100)
);
CREATE INDEX ix_api_tokens_user_id ON api_tokens (user_id);

CREATE TABLE libraries (
    id uuid CONSTRAINT pk_libraries PRIMARY KEY DEFAULT gen_random_uuid(),
    owner_user_id uuid NOT NULL CONSTRAINT fk_libraries_owner_user_id REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_libraries_name CHECK (char_length(btrim(name)) BETWEEN 1 AND 100)
);
CREATE INDEX ix_libraries_owner_user_id ON libraries (owner_user_id);
CREATE UNIQUE INDEX uq_libraries_default ON libraries (owner_user_id) WHERE is_default;
CREATE TRIGGER touch BEFORE UPDATE ON libraries FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
"""


def upgrade() -> None:
    op.execute(PEOPLE)
