"""The id of a media that was merged away answers only to those whose id it was"""

from alembic import op

revision = "0015"
down_revision = "0014"

# Whose the old ones were was not written down: they keep answering to everybody who has the media.
ALIASES = """
ALTER TABLE media_aliases
    DROP CONSTRAINT pk_media_aliases,
    ADD COLUMN user_id uuid CONSTRAINT fk_media_aliases_user_id REFERENCES users ON DELETE CASCADE;
INSERT INTO media_aliases (alias_id, user_id, media_id, created_at)
SELECT DISTINCT old.alias_id, libraries.owner_user_id, old.media_id, old.created_at
FROM media_aliases AS old JOIN library_media ON library_media.media_id = old.media_id
JOIN libraries ON libraries.id = library_media.library_id;
DELETE FROM media_aliases WHERE user_id IS NULL;
ALTER TABLE media_aliases
    ALTER COLUMN user_id SET NOT NULL,
    ADD CONSTRAINT pk_media_aliases PRIMARY KEY (alias_id, user_id);
"""


def upgrade() -> None:
    op.execute(ALIASES)
