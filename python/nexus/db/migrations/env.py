"""Run by Alembic: one transaction for all pending steps, one process at a time."""

from alembic import context
from sqlalchemy import Connection, text

from nexus.db.models import Base

MIGRATION_LOCK = 0x6E657875  # any constant of ours; "nexu"


def migrate(connection: Connection) -> None:
    limits = context.config.attributes
    with connection.begin():
        # Several processes may start at once: the others wait here and then find nothing to do.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        # A migration that waits for a lock makes every later query on the table wait behind it.
        for name in ("lock_timeout", "statement_timeout"):
            connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": limits[name]})
        context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=True)
        context.run_migrations()


migrate(context.config.attributes["connection"])
