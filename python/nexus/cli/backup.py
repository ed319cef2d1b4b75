"""``nexus backup``: database and blobs in one file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nexus.cli.shared import open_current_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.store import open_store
from nexus.store.backup import back_up


def register(app: typer.Typer) -> None:
    app.command("backup")(backup)


def backup(
    file: Annotated[Path, typer.Argument(help="Where to write the backup; only you can read it.")],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Write database, originals, pictures and audio into one file, while the server runs if you like, and verify it.

    Exit 1 if the store has lost something: the backup is written, without what is lost.
    """
    settings = quiet_settings(data_dir)
    with open_current_database(settings) as database:
        done = back_up(open_store(settings, database), file)
    if as_json:
        typer.echo(json.dumps(asdict(done) | {"file": str(file)}))
    else:
        typer.echo(f"Wrote and verified {file} ({done.size:,} bytes): the database and {done.blobs:,} blobs.")
    if done.lost:
        message = f"{len(done.lost)} blobs that the library names are missing or damaged and not in the backup."
        typer.echo(f"nexus: {message} 'nexus store check' lists them.", err=True)
        raise typer.Exit(1)
