"""How often in a row a save lost its worker, apart from its attempts"""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("""
        ALTER TABLE items ADD COLUMN losses integer NOT NULL DEFAULT 0,
            ADD CONSTRAINT ck_items_losses CHECK (losses >= 0)
    """)
