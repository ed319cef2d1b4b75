"""Migrate the schema, and find out its revision.

Alembic takes half a second to load, more than most commands need in all, so it is imported only where there is
something to migrate.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from nexus.errors import DatabaseUnavailableError, SchemaOutdatedError
from nexus.logging import get_logger
from nexus.system.error_text import first_line

if TYPE_CHECKING:
    from alembic.config import Config

log = get_logger(__name__)

MIGRATIONS = Path(__file__).parent / "migrations"
HAS_VERSION = text("SELECT to_regclass('alembic_version') IS NOT NULL")
VERSION = text("SELECT version_num FROM alembic_version")


@dataclass(frozen=True)
class SchemaStatus:
    current: str | None
    head: str

    @property
    def is_current(self) -> bool:
        return self.current == self.head


def upgrade(engine: Engine, *, to: str = "head", lock_timeout: str = "5s", statement_timeout: str = "5min") -> None:
    with engine.connect() as connection:
        status = schema_status(connection)
        connection.rollback()
        if status.current and status.current not in _revisions():
            raise SchemaOutdatedError(
                f"This database was written by a newer Nexus (schema {status.current}; this one knows up to "
                f"{status.head}). Update Nexus, or restore a backup made with this version."
            )
        if to == "head" and status.is_current:
            return
        from alembic import command  # noqa: PLC0415

        config = alembic_config(connection)
        config.attributes.update(lock_timeout=lock_timeout, statement_timeout=statement_timeout)
        try:
            command.upgrade(config, to)
        except OperationalError as error:
            raise DatabaseUnavailableError(
                f"The migration was given up and changed nothing: {first_line(error.orig or error)}. "
                "Stop other users of the database and run 'nexus db upgrade' again."
            ) from error
    log.info("migrated the database", before=status.current, to=to)


def schema_status(connection: Connection) -> SchemaStatus:
    current = connection.scalar(VERSION) if connection.scalar(HAS_VERSION) else None
    return SchemaStatus(current, head_revision())


def head_revision() -> str:
    return max(_revisions())


def alembic_config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


@lru_cache
def _revisions() -> frozenset[str]:
    """A migration's file begins with its number, each one higher than the one before."""
    found = frozenset(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))
    if not found:
        raise SchemaOutdatedError("This installation of Nexus is incomplete: it has no migrations. Install it again.")
    return found
