"""A page can be saved as a browser shows it, by a browser that its user has paired"""

from alembic import op

revision = "0043"
down_revision = "0042"

# The key of the link's canonical form: a user has one media of the captures of a page. Only a shared media has a
# canonical URL, so this one never stands for the page to anybody else.
CAPTURES = """
ALTER TABLE extraction_attempts
    DROP CONSTRAINT ck_extraction_attempts_rung,
    ADD CONSTRAINT ck_extraction_attempts_rung CHECK (rung IN ('static', 'browser', 'captured'));

ALTER TABLE media
    ADD COLUMN captured_url_key bytea,
    ADD CONSTRAINT ck_media_captured_url_key CHECK (octet_length(captured_url_key) = 32),
    ADD CONSTRAINT ck_media_captured_url_key_is_private
        CHECK (captured_url_key IS NULL OR (owner_user_id IS NOT NULL AND kind = 'web_article'));
CREATE UNIQUE INDEX uq_media_owner_captured_url_key ON media (owner_user_id, captured_url_key)
    WHERE captured_url_key IS NOT NULL;
"""

# As in 0042, and a page that waits in the queue may be given by its user.
MOVES = """
DROP TRIGGER items_status_moves ON items;
CREATE TRIGGER items_status_moves BEFORE UPDATE OF status ON items FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
        ('queued', 'processing'), ('queued', 'succeeded'),
        ('processing', 'queued'), ('processing', 'succeeded'), ('processing', 'needs_user_text'),
        ('processing', 'failed'),
        ('needs_user_text', 'succeeded'), ('needs_user_text', 'queued'), ('failed', 'queued'),
        ('failed', 'succeeded')))
    EXECUTE FUNCTION refuse_status_move('status');
"""

PAIRING = """
ALTER TABLE api_tokens
    ADD COLUMN is_paired boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT ck_api_tokens_paired_is_no_operator CHECK (NOT (is_paired AND is_operator));

CREATE TABLE pairing_codes (
    user_id uuid CONSTRAINT pk_pairing_codes PRIMARY KEY
        CONSTRAINT fk_pairing_codes_user_id REFERENCES users ON DELETE CASCADE,
    code_sha256 bytea NOT NULL CONSTRAINT uq_pairing_codes_code_sha256 UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT ck_pairing_codes_hash CHECK (octet_length(code_sha256) = 32),
    CONSTRAINT ck_pairing_codes_expiry CHECK (expires_at > created_at)
);
"""


def upgrade() -> None:
    op.execute(CAPTURES)
    op.execute(MOVES)
    op.execute(PAIRING)
