"""``nexus db``: upgrade, inspect, back up and restore the database."""

import json
from pathlib import Path
from typing import Annotated

import typer

from nexus.cli.shared import open_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.db import backup as copies
from nexus.db.migrate import schema_status
from nexus.db.migrate import upgrade as migrate
from nexus.store import open_store
from nexus.store.identity import problem_of_restored

app = typer.Typer(help="Upgrade, inspect, back up and restore the database.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="db")


@app.command()
def upgrade(data_dir: DataDir = None) -> None:
    """Bring the schema up to date. Safe to run at any time, also twice at once."""
    with open_database(quiet_settings(data_dir)) as database:
        migrate(database.engine)
        with database.engine.connect() as connection:
            typer.echo(f"The schema is up to date ({schema_status(connection).head}).")


@app.command()
def status(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Say which database is used and whether its schema is current; exit 1 if it is not."""
    settings = quiet_settings(data_dir)
    with open_database(settings) as database, database.engine.connect() as connection:
        schema = schema_status(connection)
        server = ".".join(str(part) for part in connection.dialect.server_version_info or ())
    facts = {
        "database": "DATABASE_URL" if settings.database_url else "embedded",
        "data_dir": None if settings.database_url else str(settings.data_dir),
        "server_version": server,
        "schema": schema.current,
        "newest_schema": schema.head,
        "up_to_date": schema.is_current,
    }
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        server_name = (
            f"embedded PostgreSQL {server} in {settings.data_dir}" if database.embedded else f"PostgreSQL {server}"
        )
        verdict = "up to date" if schema.is_current else f"not up to date ({schema.head}): run 'nexus db upgrade'"
        typer.echo(f"{server_name}\nschema {schema.current or 'none'}: {verdict}")
    if not schema.is_current:
        raise typer.Exit(1)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where to write the backup; only you can read it.")],
    data_dir: DataDir = None,
) -> None:
    """Write a copy of the database alone into one file, while the server runs if you like.

    'nexus backup' writes originals, pictures and audio too.
    """
    with open_database(quiet_settings(data_dir)) as database:
        size = copies.backup(database, file)
    typer.echo(f"Wrote {file} ({size:,} bytes).")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file written by 'nexus db backup'.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace the data that is there.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Put a copy back, all or nothing, and bring its schema up to date. Stop the server first."""
    settings = quiet_settings(data_dir)
    with open_database(settings) as database:
        copies.restore(database, file, replace=replace, work_folder=settings.data_dir)
        problem = problem_of_restored(open_store(settings, database).backend, database)
    typer.echo(f"Restored {file}.")
    if problem:
        typer.echo(f"Texts can be read. {problem}", err=True)


@app.command()
def url(data_dir: DataDir = None) -> None:
    """Print the connection URL, password included, for psql and other tools. Embedded: works while Nexus runs."""
    with open_database(quiet_settings(data_dir)) as database:
        typer.echo(database.url.set(drivername="postgresql").render_as_string(hide_password=False))
