"""``nexus export``: a library, or what a search finds in it, as a file."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from nexus.cli.api_client import ApiClient, opened_server
from nexus.cli.exports.resuming import download
from nexus.cli.shared_options import Json
from nexus.errors import NexusError, UnreadableInputError
from nexus.services.exports.formats.format_name import FormatName
from nexus.system.atomic_files import remove_leftovers_of, replacing

QUEUE_HINT_SECONDS = 15.0
MAX_NAMED = 10
WAITING = ("queued", "running")

Target = Annotated[str, typer.Argument(metavar="PATH", help="Where to write it: a file, a folder, or - for stdout.")]
Query = Annotated[str | None, typer.Option("--query", metavar="Q", help="Only what a search for this finds.")]


class ExportFailedError(NexusError):
    code = "export_failed"


def register(app: typer.Typer) -> None:
    app.command("export")(export)


def export(
    path: Target,
    format: Annotated[FormatName, typer.Option("--format", help="What to write.")] = "archive",  # noqa: A002
    query: Query = None,
    as_json: Json = False,
) -> None:
    """Export your library, with archived entries, through the server at NEXUS_URL, as the user of NEXUS_TOKEN.

    A worker writes the file, which is then downloaded; a download that breaks is resumed. PATH is created when the
    file is complete. Exit 1 if it could not be written.
    """
    target = None if path == "-" else Path(path)
    if target and not (target if target.is_dir() else target.parent).is_dir():
        raise UnreadableInputError(f"There is no folder {target.parent}.")
    if as_json and target is None:
        raise typer.BadParameter("--json and - both write to stdout; name a file")
    with opened_server() as api, _bar() as bar:
        made = api.post("/api/exports", {"format": format} | ({"query": query} if query else {}))
        address = f"/api/exports/{made['id']}"
        try:
            done = _wait(api, address, bar)
            written = _fetch(api, address, done, target, bar)
        finally:
            # Nobody else waits for it. One that still runs is cancelled first, then removed.
            for _ in range(2):
                # The first call removed it, or the server is away: then it expires. An earlier error is shown instead.
                with suppress(NexusError):
                    api.delete(address)
    _report(done, written, as_json)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def show(self, what: str, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._progress.add_task(what, total=None)
        self._progress.update(self._task, description=what, completed=done, total=total or None)

    def show_message(self, words: str) -> None:
        self._progress.console.print(words)


@contextmanager
def _bar() -> Iterator[_Bar]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    shown = Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal, transient=True)
    with shown as progress:
        yield _Bar(progress)


def _wait(api: ApiClient, address: str, bar: _Bar) -> dict[str, Any]:
    began, last_hint = time.monotonic(), ""

    def is_over(found: dict[str, Any]) -> bool:
        nonlocal last_hint
        if found["status"] not in WAITING:
            return True
        bar.show("Writing", found["done"], found["total"])
        hint = found["message"] or ""
        if found["status"] == "queued" and time.monotonic() - began > QUEUE_HINT_SECONDS:
            hint = hint or "Waiting for a worker; is one running?"
        if hint and hint != last_hint:
            bar.show_message(hint)
            last_hint = hint
        return False

    found = api.poll(address, is_over)
    if found["status"] != "finished":
        raise ExportFailedError(found["message"] or "The export was cancelled.")
    return found


def _fetch(api: ApiClient, address: str, done: dict[str, Any], target: Path | None, bar: _Bar) -> str:
    """Where it is now."""
    size = done["size"]

    def write_to(file: BinaryIO) -> None:
        for received in download(api, f"{address}/download", size, file):
            bar.show("Downloading", received, size)

    if target is None:
        write_to(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return "-"
    path = target / done["filename"] if target.is_dir() else target
    try:
        remove_leftovers_of(path)
        with replacing(path, durable=True) as file:
            write_to(file)
    except OSError as error:
        raise UnreadableInputError(f"{path}: {error.strerror or error}.") from error
    return str(path)


def _report(done: dict[str, Any], written: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(done | {"path": written}, ensure_ascii=False))
    elif written != "-":
        typer.echo(f"Wrote {written} ({done['size']:,} bytes): {done['done'] - len(done['left_out']):,} entries.")
    if done["left_out"] and not as_json:
        typer.echo(f"nexus: {len(done['left_out'])} entries could not be included:", err=True)
        for each in done["left_out"][:MAX_NAMED]:
            typer.echo(f"  {each['title']}: {each['reason']}", err=True)
