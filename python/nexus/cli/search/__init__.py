"""``nexus search``: search a library through the server; inspect and rebuild the index of this machine."""

import typer

from nexus.cli.search import index, search_command
from nexus.cli.search.default_command import DefaultCommandGroup

app = typer.Typer(
    cls=DefaultCommandGroup,
    help="Search your library: nexus search WORDS. Or look after the search index of this machine.",
    no_args_is_help=True,
)
app.command(DefaultCommandGroup.default)(search_command.search)
app.command()(index.status)
app.command()(index.rebuild)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="search")
