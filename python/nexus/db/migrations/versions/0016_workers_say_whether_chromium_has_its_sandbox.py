"""A worker says whether the browser it renders with has its sandbox"""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    # Workers of the version before run as they did until they are started again; then they say.
    op.execute("ALTER TABLE workers ADD COLUMN sandbox boolean NOT NULL DEFAULT true")
