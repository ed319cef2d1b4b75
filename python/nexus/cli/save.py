"""``nexus save``: links or a text into the library, through the server."""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from nexus.cli.api_client import ApiClient, RefusedByServerError
from nexus.cli.shared_options import Json, start_logging
from nexus.config import load_settings
from nexus.errors import UnreadableInputError

AT_ONCE = 8
FINAL = frozenset({"succeeded", "needs_user_text", "failed"})
FIRST_LOOK_SECONDS = 0.1
LONGEST_LOOK_SECONDS = 2.0

Urls = Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Links to save.", show_default=False)]
TextFile = Annotated[str | None, typer.Option("--text", metavar="FILE|-", help="Save this text instead of links.")]
FromFile = Annotated[
    str | None,
    typer.Option("--from-file", metavar="FILE|-", help="Links from a file, one per line; # starts a comment."),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until each item is ready or has failed.")]


@dataclass(frozen=True)
class Outcome:
    url: str | None
    id: str | None = None
    status: str | None = None
    title: str | None = None
    detail: str | None = None
    error: str | None = None

    @property
    def is_good(self) -> bool:
        return self.error is None and self.status not in FINAL - {"succeeded"}


def register(app: typer.Typer) -> None:
    app.command("save")(save)


def save(
    urls: Urls = None, text: TextFile = None, from_file: FromFile = None, wait: Wait = False, as_json: Json = False
) -> None:
    """Save links or a text through the server at NEXUS_URL, as the user of NEXUS_TOKEN.

    Exit 1 if anything was refused or, with --wait, could not be read.
    """
    if sum(map(bool, (urls, text, from_file))) != 1:
        raise typer.BadParameter("give links, or --text, or --from-file")
    settings = load_settings()
    start_logging(settings, "WARNING")
    bodies = [{"pasted_text": _read(text)}] if text else [{"url": url} for url in urls or _links(from_file or "")]
    with ApiClient(settings) as api:
        outcomes = [_show(outcome, as_json) for outcome in _save_all(api, bodies, wait=wait)]
    if not all(outcome.is_good for outcome in outcomes):
        raise typer.Exit(1)


def _save_all(api: ApiClient, bodies: list[dict[str, str]], *, wait: bool) -> Iterator[Outcome]:
    """As they finish. A server that is not there ends it all; a link that is refused, only that link."""
    console = Console(stderr=True)
    with (
        ThreadPoolExecutor(AT_ONCE) as pool,
        Progress(console=console, disable=len(bodies) == 1 or not console.is_terminal, transient=True) as progress,
    ):
        bar = progress.add_task("Saving", total=len(bodies))
        under_way = [pool.submit(_save_one, api, body, wait=wait) for body in bodies]
        try:
            for done in as_completed(under_way):
                progress.advance(bar)
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _save_one(api: ApiClient, body: dict[str, Any], *, wait: bool) -> Outcome:
    url = body.get("url")
    try:
        saved = api.save(body)
        item = _wait(api, saved["id"]) if wait else saved
    except RefusedByServerError as error:
        return Outcome(url, detail=error.message, error=str(error.extras["error"]))
    return Outcome(url, saved["id"], item["status"], item.get("title"), item.get("status_detail"))


def _wait(api: ApiClient, item_id: str) -> dict[str, Any]:
    pause = FIRST_LOOK_SECONDS
    while True:
        item = api.item(item_id)
        if item["status"] in FINAL:
            return item
        time.sleep(pause)
        pause = min(1.5 * pause, LONGEST_LOOK_SECONDS)


def _show(outcome: Outcome, as_json: bool) -> Outcome:
    name = outcome.url or outcome.title or "text"
    if as_json:
        typer.echo(json.dumps(asdict(outcome), ensure_ascii=False))
    elif outcome.error:
        typer.echo(f"nexus: {name}: {outcome.detail}", err=True)
    else:
        typer.echo("  ".join(filter(None, (outcome.status, outcome.id, name, outcome.detail))))
    return outcome


def _links(source: str) -> Iterable[str]:
    lines = (line.strip() for line in _read(source).splitlines())
    links = dict.fromkeys(line for line in lines if line and not line.startswith("#"))
    if not links:
        raise UnreadableInputError(f"There is no link in {'the input' if source == '-' else source}.")
    return links


def _read(source: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableInputError(f"{source}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{source} is not UTF-8 text.") from error
