"""``nexus list``, ``show``, ``tag``, ``archive``, ``rm`` and ``highlights``: a user's library, for scripts."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any
from uuid import UUID

import typer

from nexus.cli.api_client import ApiClient, opened_server
from nexus.cli.shared_options import Json
from nexus.text.characters import CONTROLS, one_line

PAGE_SIZE = 100
SEARCH_PAGE_SIZE = 50

MediaIds = Annotated[list[UUID], typer.Argument(metavar="MEDIA_ID…", help="As 'nexus list' shows them.")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="With this tag or one below it; of several, all.")]
Archived = Annotated[str, typer.Option(help="false: the Inbox, true: the archive, any: both.")]
Limit = Annotated[int, typer.Option(min=1, help="Maximum number of results.")]
Query = Annotated[str | None, typer.Option("--search", help="What a search for these words finds.")]


def register(app: typer.Typer) -> None:
    for command in (show, tag, archive, rm, highlights):
        app.command()(command)
    app.command("list")(list_)


def list_(
    search: Query = None,
    tags: Tag = None,
    archived: Archived = "false",
    unread: Annotated[bool, typer.Option("--unread", help="Only what was not read yet.")] = False,
    starred: Annotated[bool, typer.Option("--starred", help="Only what is starred.")] = False,
    site: Annotated[str | None, typer.Option(help="Only what is from this host.")] = None,
    sort: Annotated[
        str | None, typer.Option(help="newest (the default), oldest, longest, shortest, title or recently_read.")
    ] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List your library through the server at NEXUS_URL, as the user of NEXUS_TOKEN: one entry a line."""
    if search and sort:
        raise typer.BadParameter("what --search finds has its own order, the best first; leave out --sort")
    params: dict[str, Any] = {"tag": tags or [], "archived": archived}
    params |= {name: "true" for name, wanted in {"unread": unread, "starred": starred}.items() if wanted}
    params |= {"site": site} if site else {}
    with opened_server() as api:
        for entry in _find_entries(api, params | ({"q": search} if search else {"sort": sort or "newest"}), limit):
            _print(entry, as_json)


def _find_entries(api: ApiClient, params: dict[str, Any], limit: int) -> Iterator[dict[str, Any]]:
    """The entries of a list, or those that a search finds if words are given."""
    if "q" in params:
        for page in api.pages("/api/search", params, key="hits", limit=limit, page_size=SEARCH_PAGE_SIZE):
            yield from (hit["entry"] for hit in page["hits"])
    else:
        for page in api.pages("/api/library", params, key="entries", limit=limit, page_size=PAGE_SIZE):
            yield from page["entries"]


def show(media_id: UUID, as_json: Json = False) -> None:
    """Show one entry: its title, where it is from, its state, tags and note."""
    with opened_server() as api:
        entry = api.get(f"/api/library/{media_id}")
    if as_json:
        _print(entry, as_json)
        return
    for name in (
        "media_id",
        "title",
        "canonical_url",
        "status",
        "tags",
        "archived_at",
        "starred_at",
        "read_at",
        "note",
    ):
        value = ", ".join(entry[name]) if name == "tags" else entry[name]
        shown = "-" if value is None else "\n".join(_lines(value))
        typer.echo(f"{name}: {shown}")


def tag(
    media_ids: MediaIds,
    add: Annotated[list[str] | None, typer.Option("--add", help="Give them this tag.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="Take this tag away.")] = None,
    as_json: Json = False,
) -> None:
    """Tag entries, all of them or none."""
    if not (add or remove):
        raise typer.BadParameter("say which tags: --add NAME, --remove NAME")
    _change(media_ids, as_json, add_tags=add or [], remove_tags=remove or [])


def archive(
    media_ids: MediaIds,
    undo: Annotated[bool, typer.Option("--undo", help="Back into the Inbox.")] = False,
    as_json: Json = False,
) -> None:
    """Archive entries, all of them or none."""
    _change(media_ids, as_json, set={"archived": not undo})


def rm(media_ids: MediaIds, as_json: Json = False) -> None:
    """Delete entries from your library, all of them or none. This cannot be undone."""
    _change(media_ids, as_json, delete=True)


def _change(media_ids: Sequence[UUID], as_json: bool, **changes: Any) -> None:
    with opened_server() as api:
        done = api.change_many({"media_ids": [str(media_id) for media_id in media_ids], **changes})
    typer.echo(json.dumps(done) if as_json else f"{done['changed']} of {done['matched']} changed")


def _print(entry: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(entry, ensure_ascii=False))
    else:
        tags = " ".join(f"#{name.replace(' ', '-')}" for name in entry["tags"])
        typer.echo("  ".join(filter(None, (entry["media_id"], entry["status"], one_line(entry["title"]), tags))))


def highlights(
    search: Annotated[str | None, typer.Option("--search", help="Words of the quote or the note.")] = None,
    tags: Tag = None,
    color: Annotated[str | None, typer.Option(help="yellow, green, blue or pink.")] = None,
    sort: Annotated[str, typer.Option(help="newest, or text: by title, in each text in its order.")] = "newest",
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List your highlights through the server at NEXUS_URL, as the user of NEXUS_TOKEN."""
    params: dict[str, Any] = {"tag": tags or [], "sort": sort}
    params |= {"color": color} if color else {}
    params |= {"q": search} if search else {}
    with opened_server() as api:
        for page in api.pages("/highlights", params, key="highlights", limit=limit, page_size=PAGE_SIZE):
            for highlight in page["highlights"]:
                _print_highlight(highlight, as_json)


def _print_highlight(highlight: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(highlight, ensure_ascii=False))
        return
    tags = " ".join(f"#{name.replace(' ', '-')}" for name in highlight["tags"])
    title = one_line(highlight["media"]["title"])
    typer.echo("  ".join(filter(None, (highlight["id"], highlight["color"], title, tags))))
    typer.echo("\n".join(f"    {line}" for line in _lines(highlight["quote"])))
    if highlight["note"]:
        typer.echo("\n".join(f"    ({line})" for line in _lines(highlight["note"])))


def _lines(text: str) -> list[str]:
    """A terminal obeys escape sequences, which texts and older titles may have."""
    return [CONTROLS.sub(" ", line) for line in text.splitlines()]
