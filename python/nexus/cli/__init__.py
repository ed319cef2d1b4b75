"""The ``nexus`` command."""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from typing import Annotated

import typer

from nexus.errors import ConfigError, NexusError
from nexus.system.startup_gc import no_garbage_collection

IN_LIBRARY = ("list", "show", "tag", "archive", "rm", "highlights")
COMMANDS = (
    "serve", "worker", "extract", "save", "import", "export", "search", *IN_LIBRARY,
    "reread", "podcast", "jobs", "db", "store", "backup", "restore", "token",
)  # fmt: skip
# The modules of commands that are not named like their module.
MODULES = dict.fromkeys(IN_LIBRARY, "library") | {"import": "imports", "export": "exports"}
BAD_USAGE = 2  # what typer itself uses for wrong options
INTERRUPTED = 130


def build_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Only the named commands are imported: together they load the server, the database and the text model."""
    app = typer.Typer(
        name="nexus",
        help="A private library of clean, permanent, quotable text. Run 'nexus COMMAND --help' for each command.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    with no_garbage_collection():
        for name in dict.fromkeys(MODULES.get(name, name) for name in commands):
            import_module(f"nexus.cli.{name}").register(app)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nexus {version('nexus')}")
        raise typer.Exit


def options(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Shared by all commands."""


def main() -> None:
    """Run the command; a NexusError is one line on stderr and a non-zero exit."""
    try:
        code = build_app(_needed(sys.argv[1:2]))(prog_name="nexus", standalone_mode=False)
    except typer.TyperException as error:
        code = _print_error(error.format_message(), error.exit_code)
    except NexusError as error:
        code = _print_error(error.message, BAD_USAGE if isinstance(error, ConfigError) else 1)
    except typer.Abort:
        code = INTERRUPTED
    sys.exit(code)


def podcast_main() -> None:
    """``podcast serve …`` is ``nexus serve …``; ``podcast …`` is ``nexus podcast …``."""
    if sys.argv[1:2] != ["serve"]:
        sys.argv.insert(1, "podcast")
    main()


def _needed(first_words: list[str]) -> Iterable[str]:
    """Only the first word if it is a command; all of them for help and for an unknown word."""
    if first_words == ["--version"]:
        return ()
    return [word for word in first_words if word in COMMANDS] or COMMANDS


def _print_error(message: str, code: int) -> int:
    if message:  # without one, the help has already been shown
        typer.echo(f"nexus: {message}", err=True)
    return code
