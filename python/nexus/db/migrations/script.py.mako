"""${message}"""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}

STEP = """
"""


def upgrade() -> None:
    op.execute(STEP)
