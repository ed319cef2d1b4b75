"""Browsers that signed in: a session of their own instead of the token in a cookie"""

from alembic import op

revision = "0012"
down_revision = "0011"

SESSIONS = """
-- What a session names must be a token of the session's own user.
ALTER TABLE api_tokens ADD CONSTRAINT uq_api_tokens_id_user_id UNIQUE (id, user_id);

CREATE TABLE sessions (
    id uuid CONSTRAINT pk_sessions PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_sessions_user_id REFERENCES users ON DELETE CASCADE,
    token_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL CONSTRAINT uq_sessions_secret_sha256 UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    expires_at timestamptz NOT NULL,
    CONSTRAINT fk_sessions_token_id FOREIGN KEY (token_id, user_id)
        REFERENCES api_tokens (id, user_id) ON DELETE CASCADE,
    CONSTRAINT ck_sessions_hash CHECK (octet_length(secret_sha256) = 32),
    CONSTRAINT ck_sessions_expiry CHECK (expires_at > created_at)
);
CREATE INDEX ix_sessions_token_id ON sessions (token_id);
CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);
"""


def upgrade() -> None:
    op.execute(SESSIONS)
