"""``nexus highlights``: one's highlights, for scripts, through the server."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from nexus.cli.api_client import ApiClient
from nexus.cli.library import PAGE, Limit, Tag, open_server
from nexus.cli.shared_options import Json


def register(app: typer.Typer) -> None:
    app.command("highlights")(list_highlights)


def list_highlights(
    search: Annotated[str | None, typer.Option("--search", help="Words of the quote or the note.")] = None,
    tags: Tag = None,
    color: Annotated[str | None, typer.Option(help="yellow, green, blue or pink.")] = None,
    sort: Annotated[str, typer.Option(help="newest, or text: by title, in each text in its order.")] = "newest",
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List one's highlights through the server at NEXUS_URL, as the user of NEXUS_TOKEN."""
    asked: dict[str, Any] = {"tag": tags or [], "sort": sort}
    asked |= {"color": color} if color else {}
    asked |= {"q": search} if search else {}
    with open_server() as api:
        for highlight in _found(api, asked, limit):
            _print(highlight, as_json)


def _found(api: ApiClient, asked: dict[str, Any], limit: int) -> Iterator[dict[str, Any]]:
    cursor: dict[str, str] = {}
    while limit > 0:
        page = api.get("/highlights", asked | cursor | {"limit": min(limit, PAGE)})["data"]
        yield from page["highlights"]
        limit -= len(page["highlights"])
        if page["next_cursor"] is None:
            return
        cursor = {"cursor": page["next_cursor"]}


def _print(highlight: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(highlight, ensure_ascii=False))
        return
    tags = " ".join(f"#{name.replace(' ', '-')}" for name in highlight["tags"])
    typer.echo("  ".join(filter(None, (highlight["id"], highlight["color"], highlight["media"]["title"], tags))))
    typer.echo("\n".join(f"    {line}" for line in highlight["quote"].splitlines()))
    if highlight["note"]:
        typer.echo("\n".join(f"    ({line})" for line in highlight["note"].splitlines()))
