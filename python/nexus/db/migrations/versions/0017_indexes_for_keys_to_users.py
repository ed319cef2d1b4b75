"""A user's sessions and aliases are found by an index: deleting a user reads only their own rows"""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.execute("CREATE INDEX ix_sessions_user_id ON sessions (user_id)")
    op.execute("CREATE INDEX ix_media_aliases_user_id ON media_aliases (user_id)")
