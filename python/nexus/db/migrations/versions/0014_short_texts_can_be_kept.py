"""A user can keep a short text: a private copy of the article, which owns no URL"""

from alembic import op

revision = "0014"
down_revision = "0013"

PRIVATE = """
ALTER TABLE media
    DROP CONSTRAINT ck_media_pasted_is_private,
    ADD CONSTRAINT ck_media_pasted_is_private CHECK (CASE kind
        WHEN 'pasted_text' THEN owner_user_id IS NOT NULL
        WHEN 'web_article' THEN true
        ELSE owner_user_id IS NULL END),
    ADD CONSTRAINT ck_media_private_has_no_url CHECK (owner_user_id IS NULL OR canonical_url IS NULL);
"""


def upgrade() -> None:
    op.execute(PRIVATE)
