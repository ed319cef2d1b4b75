"""``nexus save``: save links, a text or a page through the server."""

import json
import sys
import tempfile
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
from nexus.errors import ImportNotRecognisedError, UnreadableInputError
from nexus.text.characters import one_line
from nexus.text.extraction.charset import decode_bytes
from nexus.text.imports.plain.link_lists import LINK_LIST
from nexus.text.imports.read_export import read_export
from nexus.text.imports.records import ImportedItem, from_json

MAX_PARALLEL_SAVES = 8
FINAL = frozenset({"succeeded", "needs_user_text", "failed"})
KINDS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x1f\x8b": "compressed",
}

Urls = Annotated[list[str] | None, typer.Argument(metavar="URL…", help="Links to save.", show_default=False)]
TextFile = Annotated[str | None, typer.Option("--text", metavar="FILE|-", help="Save this text instead of links.")]
FromFile = Annotated[
    str | None,
    typer.Option("--from-file", metavar="FILE|-", help="Links from a file, one per line; # starts a comment."),
]
HtmlFile = Annotated[
    str | None, typer.Option("--html", metavar="FILE|-", help="Save this page as it is, without fetching it.")
]
PageUrl = Annotated[str | None, typer.Option("--url", metavar="URL", help="With --html: the address of the page.")]
Title = Annotated[str | None, typer.Option("--title", help="With --html: for a page that has no title of its own.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="NAME", help="With --html: a tag; may be repeated.")]
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
    urls: Urls = None,
    text: TextFile = None,
    from_file: FromFile = None,
    html: HtmlFile = None,
    url: PageUrl = None,
    title: Title = None,
    tag: Tags = None,
    wait: Wait = False,
    as_json: Json = False,
) -> None:
    """Save links, a text or a page through the server at NEXUS_URL, as the user of NEXUS_TOKEN.

    Exit 1 if anything was refused or, with --wait, could not be read.
    """
    if sum(map(bool, (urls, text, from_file, html))) != 1:
        raise typer.BadParameter("give links, or --text, or --from-file, or --html")
    if bool(html) != bool(url) or ((title or tag) and not html):
        raise typer.BadParameter("--html and --url go together; --title and --tag are for a page that is given so")
    settings = load_settings()
    start_logging(settings, "WARNING")
    if html and url:
        given = {"url": url, "html": _page(html), "title": title, "tags": tag or []}
        with ApiClient(settings) as api:
            is_good = _show(_save_page(api, given), as_json).is_good
        raise typer.Exit(0 if is_good else 1)
    bodies = [{"pasted_text": _text(text)}] if text else [{"url": url} for url in urls or _links(from_file or "")]
    with ApiClient(settings) as api:
        outcomes = [_show(outcome, as_json) for outcome in _save_all(api, bodies, wait=wait)]
    if not all(outcome.is_good for outcome in outcomes):
        raise typer.Exit(1)


def _save_all(api: ApiClient, bodies: list[dict[str, str]], *, wait: bool) -> Iterator[Outcome]:
    """In the order they finish. An unreachable server ends the command; a refused link is only an outcome.

    One after the other and the last first: the library shows the newest on top, so its order is that of the input.
    """
    console = Console(stderr=True)
    with (
        ThreadPoolExecutor(MAX_PARALLEL_SAVES) as pool,
        Progress(console=console, disable=len(bodies) == 1 or not console.is_terminal, transient=True) as progress,
    ):
        bar = progress.add_task("Saving", total=len(bodies))
        waiting = []
        try:
            for body in reversed(bodies):
                outcome = _save_one(api, body)
                if wait and outcome.id:
                    waiting.append(pool.submit(_wait_for, api, outcome, outcome.id))
                else:
                    progress.advance(bar)
                    yield outcome
            for done in as_completed(waiting):
                progress.advance(bar)
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _save_one(api: ApiClient, body: dict[str, Any]) -> Outcome:
    url = body.get("url")
    try:
        saved = api.save(body)
    except RefusedByServerError as error:
        return Outcome(url, detail=error.message, error=str(error.extras["error"]))
    return Outcome(url, saved["id"], saved["status"], saved.get("title"), saved.get("status_detail"))


def _save_page(api: ApiClient, given: dict[str, Any]) -> Outcome:
    try:
        saved = api.capture(given)
    except RefusedByServerError as error:
        return Outcome(given["url"], detail=error.message, error=str(error.extras["error"]))
    return Outcome(given["url"], saved["item_id"], saved["status"])


def _wait_for(api: ApiClient, outcome: Outcome, item_id: str) -> Outcome:
    try:
        item = api.poll(f"/items/{item_id}", lambda item: item["status"] in FINAL)
    except RefusedByServerError as error:
        return Outcome(outcome.url, detail=error.message, error=str(error.extras["error"]))
    return Outcome(outcome.url, item_id, item["status"], item.get("title"), item.get("status_detail"))


def _show(outcome: Outcome, as_json: bool) -> Outcome:
    name = outcome.url or one_line(outcome.title or "") or "text"
    if as_json:
        typer.echo(json.dumps(asdict(outcome), ensure_ascii=False))
    elif outcome.error:
        typer.echo(f"nexus: {name}: {outcome.detail}", err=True)
    else:
        typer.echo("  ".join(filter(None, (outcome.status, outcome.id, name, outcome.detail))))
    return outcome


@dataclass(frozen=True)
class FoundExport:
    labels: tuple[str, ...]
    links: tuple[str, ...]  # each once
    lists_feeds: bool


def _text(source: str) -> str:
    """One text. An export of another program is refused: as one text, its links would be lost."""
    text = _read(source)
    export = _export_in(source, text)
    if export is None:
        return text
    what = f"{_name(source)} is an export ({', '.join(export.labels)})."
    if export.lists_feeds:
        raise UnreadableInputError(f"{what} It lists feeds: see 'nexus podcast --help'.")
    if not export.links:
        raise UnreadableInputError(f"{what} It has no link that could be saved.")
    raise UnreadableInputError(
        f"{what} 'nexus import {source}' brings it into the library, with tags and dates;"
        f" 'nexus save --from-file {source}' saves only the {len(export.links)} links in it."
    )


def _links(source: str) -> Iterable[str]:
    text = _read(source)
    export = _export_in(source, text)
    if export is not None and export.lists_feeds:
        raise UnreadableInputError(f"{_name(source)} lists feeds (OPML), not pages: see 'nexus podcast --help'.")
    lines = (line.strip() for line in text.splitlines())
    links = export.links if export else [line for line in lines if line and not line.startswith("#")]
    if not links:
        raise UnreadableInputError(f"There is no link in {_name(source)}.")
    return dict.fromkeys(links)


def _export_in(source: str, text: str) -> FoundExport | None:
    """None where it is no export, or a plain list of links."""
    with tempfile.TemporaryDirectory() as folder:
        given, rows = Path(folder) / "given", Path(folder) / "rows"
        given.write_text(text, encoding="utf-8", newline="")
        try:
            summary = read_export([(_name(source), given)], rows)
        except ImportNotRecognisedError:
            return None
        with rows.open(encoding="utf-8", newline="\n") as lines:
            items = [record for line in lines if isinstance(record := from_json(line), ImportedItem)]
    if summary.sources == (LINK_LIST.source,):
        return None
    links = tuple(dict.fromkeys(item.url for item in items if item.url))
    return FoundExport(summary.labels, links, lists_feeds=summary.counts.feeds > 0 and not items)


def _name(source: str) -> str:
    return "the input" if source == "-" else source


def _page(source: str) -> str:
    """Decoded as a browser would decode the file: by its first bytes, or by what the page says of itself."""
    return decode_bytes(_read_bytes(source), None).text


def _read(source: str) -> str:
    try:
        return _read_bytes(source).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{_name(source)} is not UTF-8 text.") from error


def _read_bytes(source: str) -> bytes:
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UnreadableInputError(f"{source}: {error.strerror}.") from error
    kind = next((kind for magic, kind in KINDS.items() if raw.startswith(magic)), None)
    if kind:
        raise UnreadableInputError(f"{_name(source)} is {kind}, which cannot be saved.")
    return raw
