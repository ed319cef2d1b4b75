"""The ``nexus`` command."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError

from nexus.cli import db, extract, serve, token, worker
from nexus.errors import ConfigError, NexusError

BAD_USAGE = 2  # what typer itself uses for wrong options
INTERRUPTED = 130

app = typer.Typer(
    name="nexus",
    help="A private library of clean, permanent, quotable text. Run 'nexus COMMAND --help' for each command.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.command("extract")(extract.extract)
app.add_typer(db.app, name="db")
app.add_typer(token.app, name="token")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nexus {version('nexus')}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Shared by all commands."""


def main() -> None:
    """Run the command; a failure a person can act on is one line on stderr and a non-zero exit."""
    try:
        code = app(prog_name="nexus", standalone_mode=False)
    except typer.TyperException as error:
        code = _complain(error.format_message(), error.exit_code)
    except NexusError as error:
        code = _complain(error.message, BAD_USAGE if isinstance(error, ConfigError) else 1)
    except OperationalError as error:
        code = _complain(f"the database gave up: {str(error.orig).splitlines()[0]}", 1)
    except typer.Abort:
        code = INTERRUPTED
    sys.exit(code)


def _complain(message: str, code: int) -> int:
    if message:  # without one, the help has already been shown
        typer.echo(f"nexus: {message}", err=True)
    return code
