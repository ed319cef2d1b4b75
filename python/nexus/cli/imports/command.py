import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from nexus.cli.api_client import ApiClient, opened_server
from nexus.cli.imports.files import found_files
from nexus.cli.imports.show import show_preview, show_report
from nexus.cli.shared_options import Json

MAX_FAILED_ROWS = 20
OVER = frozenset({"finished", "cancelled", "undone"})

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE…", help="Exports, ZIP files of them, or folders.", show_default=False)
]
Source = Annotated[
    str | None, typer.Option(help="The program whose export it is, such as 'pocket'. Default: recognised.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be imported.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until all rows are applied and all pages are fetched.")]
NoFetch = Annotated[bool, typer.Option("--no-fetch", help="Fetch no pages; read only texts that are in the files.")]
FeedItems = Annotated[bool, typer.Option("--include-feed-items", help="Also what subscriptions brought.")]


def register(app: typer.Typer) -> None:
    app.command("import")(import_)


def import_(
    files: Files,
    source: Source = None,
    dry_run: DryRun = False,
    wait: Wait = False,
    no_fetch: NoFetch = False,
    include_feed_items: FeedItems = False,
    as_json: Json = False,
) -> None:
    """Import exports of other programs (Pocket, Omnivore, browser bookmarks, …) through the server at NEXUS_URL.

    Exit 1 if the files were refused or, with --wait, a row could not be imported.
    """
    found = found_files(files)
    options = {"fetch": not no_fetch, "include_feed_items": include_feed_items}
    with opened_server() as api:
        made = api.upload("/api/imports", found, {"source": source} if source else {})
        if dry_run:
            api.delete(f"/api/imports/{made['id']}")
            _show(made, as_json)
            return
        if not as_json:
            show_preview(made)
        made = api.post(f"/api/imports/{made['id']}/start", {"options": options})
        if not wait:
            _show_started(made, as_json)
            return
        made = _wait(api, made["id"])
        failed = api.get(f"/api/imports/{made['id']}/rows", {"outcome": "failed", "limit": MAX_FAILED_ROWS})["rows"]
    if as_json:
        typer.echo(json.dumps(made | {"failed_rows": failed}, ensure_ascii=False))
    else:
        show_report(made, failed)
    if made["status"] != "finished" or made["outcomes"]["failed"]:
        raise typer.Exit(1)


def _show(made: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(made, ensure_ascii=False))
    else:
        show_preview(made)
        typer.echo("Nothing was imported (--dry-run).")


def _show_started(made: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(made, ensure_ascii=False))
    else:
        typer.echo(f"Started. Import {made['id']} goes on in the background.")


def _wait(api: ApiClient, import_id: str) -> dict[str, Any]:
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        rows = progress.add_task("Rows", total=None)
        pages = progress.add_task("Pages", total=None)

        def is_over(made: dict[str, Any]) -> bool:
            fetching = made["fetching"]
            waiting = fetching["queued"] + fetching["processing"]
            progress.update(rows, total=made["total"], completed=made["total"] - made["outcomes"]["waiting"])
            progress.update(pages, total=sum(fetching.values()), completed=sum(fetching.values()) - waiting)
            return made["status"] in OVER and not waiting

        return api.poll(f"/api/imports/{import_id}", is_over)
