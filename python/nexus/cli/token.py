"""``nexus token``: access tokens and sessions for NEXUS_AUTH=token."""

import json
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from nexus.cli.shared import open_current_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.services import tokens
from nexus.services.tokens import SessionInfo, TokenInfo

MAX_LABEL_CHARS = 100


def _short_enough(label: str) -> str:
    if len(label) > MAX_LABEL_CHARS:
        raise typer.BadParameter(f"at most {MAX_LABEL_CHARS} characters, not {len(label)}")
    return label


app = typer.Typer(
    help="Create, list and revoke access tokens (NEXUS_AUTH=token), and the sessions opened with them.",
    no_args_is_help=True,
)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="token")


@app.command()
def create(
    user: Annotated[UUID, typer.Option(help="The user's UUID; a new user is created on first use.")],
    operator: Annotated[
        bool, typer.Option("--operator", help="May also change feeds, configuration and jobs.")
    ] = False,
    label: Annotated[str, typer.Option(help="What it is for, at most 100 characters.", callback=_short_enough)] = "",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it. It is shown this once; only its hash is kept."""
    with open_current_database(quiet_settings(data_dir)) as database, database.transaction() as session:
        made = tokens.create_token(session, user, operator=operator, label=label)
    if as_json:
        typer.echo(json.dumps({"id": str(made.id), "user": str(user), "operator": operator, "token": made.secret}))
    else:
        typer.echo(made.secret)
        typer.echo(f"Store it now: it is not shown again. To revoke it: nexus token revoke {made.id}", err=True)


@app.command("list")
def list_(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show all tokens, without the tokens themselves."""
    with open_current_database(quiet_settings(data_dir)) as database, database.transaction() as session:
        rows = [_facts(token) for token in tokens.list_tokens(session)]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        state = f"revoked {row['revoked_at']}" if row["revoked_at"] else f"last used {row['last_used_at'] or 'never'}"
        rights = "operator" if row["operator"] else "reader"
        typer.echo(f"{row['id']}  user {row['user']}  {rights}  {state}  {row['label']}".rstrip())
    if not rows:
        typer.echo("No tokens yet. Create one with: nexus token create --user UUID")


def _when(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _facts(token: TokenInfo) -> dict[str, Any]:
    return {
        "id": str(token.id),
        "user": str(token.user_id),
        "operator": token.is_operator,
        "label": token.label,
        "created_at": _when(token.created_at),
        "last_used_at": _when(token.last_used_at),
        "revoked_at": _when(token.revoked_at),
    }


@app.command()
def revoke(
    token_id: Annotated[UUID, typer.Argument(help="The id that 'nexus token list' shows.")], data_dir: DataDir = None
) -> None:
    """End a token at once, and every session that was opened with it."""
    with open_current_database(quiet_settings(data_dir)) as database, database.transaction() as session:
        tokens.revoke_token(session, token_id)
    typer.echo(f"Revoked {token_id}.")


@app.command()
def sessions(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show the browsers that are signed in, and the token each of them used."""
    with open_current_database(quiet_settings(data_dir)) as database, database.transaction() as session:
        rows = [_session_facts(opened) for opened in tokens.list_sessions(session)]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        used = row["last_used_at"] or "never"
        typer.echo(
            f"{row['id']}  user {row['user']}  token {row['token']}  last used {used}  until {row['expires_at']}"
        )
    if not rows:
        typer.echo("No browser is signed in.")


def _session_facts(opened: SessionInfo) -> dict[str, Any]:
    return {
        "id": str(opened.id),
        "user": str(opened.user_id),
        "token": str(opened.token_id),
        "created_at": _when(opened.created_at),
        "last_used_at": _when(opened.last_used_at),
        "expires_at": _when(opened.expires_at),
    }


@app.command("end-session")
def end_session(
    session_id: Annotated[UUID, typer.Argument(help="The id that 'nexus token sessions' shows.")],
    data_dir: DataDir = None,
) -> None:
    """Sign one browser out at once; its token stays valid."""
    with open_current_database(quiet_settings(data_dir)) as database, database.transaction() as session:
        tokens.revoke_session(session, session_id)
    typer.echo(f"Ended session {session_id}.")
