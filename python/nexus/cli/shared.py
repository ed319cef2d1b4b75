"""What several commands need: an opened database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import OperationalError

from nexus.cli.shared_options import start_logging
from nexus.config import Settings, load_settings
from nexus.db.migrate import schema_status, upgrade
from nexus.db.session import Database
from nexus.errors import DatabaseUnavailableError, SchemaOutdatedError


def quiet_settings(data_dir: Path | None) -> Settings:
    """For commands that print their result: logs only warnings."""
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, "WARNING")
    return settings


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """The database, after a first connection; a NexusError if it cannot be reached."""
    with Database(settings) as database:
        try:
            with database.engine.connect():
                pass
        except OperationalError as error:
            raise DatabaseUnavailableError(f"Cannot reach the database of DATABASE_URL: {_reason(error)}") from error
        try:
            yield database
        except OperationalError as error:
            raise DatabaseUnavailableError(f"The database failed: {_reason(error)}") from error


def _reason(error: OperationalError) -> str:
    return str(error.orig).strip().splitlines()[-1]


@contextmanager
def open_current_database(settings: Settings) -> Iterator[Database]:
    """The database with an up-to-date schema: the embedded one is migrated, an external one only checked."""
    with open_database(settings) as database:
        if not bring_up_to_date(database):
            raise SchemaOutdatedError("The database schema is not up to date; run 'nexus db upgrade' first.")
        yield database


def bring_up_to_date(database: Database) -> bool:
    if database.embedded:
        upgrade(database.engine)
    with database.engine.connect() as connection:
        return schema_status(connection).is_current
