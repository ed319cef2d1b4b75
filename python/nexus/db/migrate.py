"""Bring the schema up to date, and say how far it is."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from nexus.errors import DatabaseUnavailableError, SchemaOutdatedError
from nexus.logging import get_logger

log = get_logger(__name__)

MIGRATIONS = Path(__file__).parent / "migrations"


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
        if status.current and not _is_known(status.current):
            raise SchemaOutdatedError(
                f"This database was written by a newer Nexus (schema {status.current}; this one knows up to "
                f"{status.head}). Update Nexus, or restore a backup made with this version."
            )
        if to == "head" and status.is_current:
            return
        config = alembic_config(connection)
        config.attributes.update(lock_timeout=lock_timeout, statement_timeout=statement_timeout)
        try:
            command.upgrade(config, to)
        except OperationalError as error:
            raise DatabaseUnavailableError(
                f"The migration was given up and changed nothing: {str(error.orig).splitlines()[0]}. "
                "Stop other users of the database and run 'nexus db upgrade' again."
            ) from error
    log.info("migrated the database", before=status.current, to=to)


def schema_status(connection: Connection) -> SchemaStatus:
    return SchemaStatus(MigrationContext.configure(connection).get_current_revision(), head_revision())


@lru_cache
def head_revision() -> str:
    head = _script().get_current_head()
    if head is None:
        raise SchemaOutdatedError("This installation of Nexus is incomplete: it has no migrations. Install it again.")
    return head


def alembic_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(MIGRATIONS))


def _is_known(revision: str) -> bool:
    return any(script.revision == revision for script in _script().walk_revisions())
