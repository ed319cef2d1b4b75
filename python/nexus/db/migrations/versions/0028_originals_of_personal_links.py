"""An original that came through a personal link is for the user whose link it was"""

from alembic import op

revision = "0028"
down_revision = "0027"

# Of what is there: by the item of whoever saved the page first, whose link the first version was read from. For whom a
# later version was fetched is known only where a single user has the media. A transcript is what its feed links to. The
# same bytes in a later version are mostly those of the earlier one, which were read again.
COLUMNS = """
ALTER TABLE originals
    ADD COLUMN fetched_for uuid CONSTRAINT fk_originals_fetched_for REFERENCES users ON DELETE SET NULL,
    ADD COLUMN is_direct boolean NOT NULL DEFAULT false;

UPDATE originals SET fetched_for = coalesce(media.owner_user_id, media.created_by_user_id)
FROM media WHERE media.id = originals.media_id AND originals.version = 1;

UPDATE originals SET fetched_for = single.user_id
FROM (SELECT media_id, (array_agg(user_id))[1] AS user_id FROM items
      GROUP BY media_id HAVING count(DISTINCT user_id) = 1) AS single
WHERE single.media_id = originals.media_id AND originals.version > 1;

UPDATE originals SET is_direct = true
FROM media WHERE media.id = originals.media_id AND (
    media.kind <> 'web_article' OR originals.version = 1 AND media.requested_url = media.canonical_url);

UPDATE originals SET fetched_for = earliest.fetched_for, is_direct = earliest.is_direct
FROM (SELECT DISTINCT ON (media_id, sha256) media_id, sha256, version, fetched_for, is_direct FROM originals
      WHERE sha256 IS NOT NULL ORDER BY media_id, sha256, version) AS earliest
WHERE earliest.media_id = originals.media_id AND earliest.sha256 = originals.sha256
  AND earliest.version < originals.version;

CREATE INDEX ix_originals_fetched_for ON originals (fetched_for) WHERE fetched_for IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(COLUMNS)
