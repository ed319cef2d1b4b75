"""A save that its client sends twice is saved once"""

from alembic import op

revision = "0024"
down_revision = "0023"

KEYS = """
ALTER TABLE items ADD COLUMN save_key bytea CONSTRAINT ck_items_save_key CHECK (octet_length(save_key) = 32);
CREATE UNIQUE INDEX uq_items_save_key ON items (user_id, save_key) WHERE save_key IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(KEYS)
