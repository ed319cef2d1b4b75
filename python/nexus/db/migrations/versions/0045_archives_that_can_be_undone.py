"""A restored archive can be taken back: also what it made besides the entries of its rows"""

from alembic import op

revision = "0045"
down_revision = "0044"

UNDO = """
ALTER TABLE imports
    ADD COLUMN undo jsonb,
    ADD CONSTRAINT ck_imports_undo CHECK (undo IS NULL OR jsonb_typeof(undo) = 'object');
"""


def upgrade() -> None:
    op.execute(UNDO)
