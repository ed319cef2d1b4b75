"""``nexus restore``: restores a file of ``nexus backup`` into an empty library."""

from pathlib import Path
from typing import Annotated

import typer

from nexus.cli.shared import open_database, quiet_settings
from nexus.cli.shared_options import DataDir
from nexus.store import open_store
from nexus.store.restore import restore_backup


def register(app: typer.Typer) -> None:
    app.command("restore")(restore)


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by 'nexus backup'.")], data_dir: DataDir = None
) -> None:
    """Put a backup into a library that holds nothing yet; the whole file is checked before anything is written.

    Stop the server first. Interrupted, it can be run again.
    """
    settings = quiet_settings(data_dir)
    with open_database(settings) as database:
        blobs = restore_backup(open_store(settings, database), file, settings.data_dir)
    typer.echo(f"Restored {file}: the database and {blobs:,} blobs.")
