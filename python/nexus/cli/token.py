"""``nexus token``: who may use the server when NEXUS_AUTH=token."""

import json
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console
from rich.table import Table

from nexus.cli.shared import DataDir, Json, open_current_database, start_logging
from nexus.config import load_settings
from nexus.services import tokens

app = typer.Typer(help="Make, list and revoke the tokens of NEXUS_AUTH=token.", no_args_is_help=True)


@app.command()
def create(
    user: Annotated[UUID, typer.Option(help="The user's UUID; a new user is made on first use.")],
    operator: Annotated[
        bool, typer.Option("--operator", help="May also change feeds, configuration and jobs.")
    ] = False,
    label: Annotated[str, typer.Option(help="What it is for, at most 100 characters.", max=100)] = "",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it. It is shown this once; only its hash is kept."""
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, "WARNING")
    with open_current_database(settings) as database, database.transaction() as session:
        made = tokens.create_token(session, user, operator=operator, label=label)
    if as_json:
        typer.echo(json.dumps({"id": str(made.id), "user": str(user), "operator": operator, "token": made.secret}))
    else:
        typer.echo(made.secret)
        typer.echo(f"Keep it: it is not shown again. To revoke it: nexus token revoke {made.id}", err=True)


@app.command("list")
def list_(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show all tokens, without the tokens themselves."""
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, "WARNING")
    with open_current_database(settings) as database, database.transaction() as session:
        rows = [
            {
                "id": str(token.id),
                "user": str(token.user_id),
                "operator": token.is_operator,
                "label": token.label,
                "created_at": token.created_at.isoformat(timespec="seconds"),
                "last_used_at": token.last_used_at and token.last_used_at.isoformat(timespec="seconds"),
                "revoked_at": token.revoked_at and token.revoked_at.isoformat(timespec="seconds"),
            }
            for token in tokens.list_tokens(session)
        ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    table = Table("id", "user", "operator", "label", "created", "last used", "revoked")
    for row in rows:
        table.add_row(
            *("yes" if value is True else "" if value in (None, False) else str(value) for value in row.values())
        )
    Console().print(table if rows else "There are no tokens yet: nexus token create --user UUID")


@app.command()
def revoke(
    token_id: Annotated[UUID, typer.Argument(help="The id that 'nexus token list' shows.")], data_dir: DataDir = None
) -> None:
    """End a token at once, and every session that was opened with it."""
    settings = load_settings(data_dir=data_dir)
    start_logging(settings, "WARNING")
    with open_current_database(settings) as database, database.transaction() as session:
        tokens.revoke_token(session, token_id)
    typer.echo(f"Revoked {token_id}.")
