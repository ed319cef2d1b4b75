"""``nexus reread``: read kept originals again, with today's extractor."""

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.progress import Progress

from nexus.cli.shared import open_current_database, quiet_settings
from nexus.cli.shared_options import DataDir, Json
from nexus.config import Settings
from nexus.db.session import Database
from nexus.pipelines.reread import Rereader, RereadResult, RereadSelection
from nexus.services.originals.reread_candidates import count_due, found_by, results_so_far
from nexus.services.search.index_process import index_here
from nexus.services.search.indexes import Indexes
from nexus.store import open_store
from nexus.text.characters import one_line
from nexus.text.process_pool import ProcessPool
from nexus.text.readings.extractor_version import EXTRACTOR

LOWEST_PRIORITY = 19
# By the wall clock: a busy machine leaves little of its time to the lowest priority.
DEADLINE_SECONDS = 300.0
RESULTS = ("better", "different", "worse", "unreadable", "same")
HEADINGS = {
    "better": "Better; the new text is shown now:",
    "different": "Different; the new text is shown now:",
    "worse": "Worse; the existing text stays:",
    "unreadable": "Could not be read again; the existing text stays:",
}
MAX_LISTED = 50
INTERRUPTED = 130


def register(app: typer.Typer) -> None:
    app.command("reread")(reread)


def reread(
    all_: Annotated[bool, typer.Option("--all", help="Everything that an older extractor has read.")] = False,
    older_than: Annotated[
        int | None, typer.Option(min=1, metavar="V", help="Only what was read by an extractor before version V.")
    ] = None,
    query: Annotated[
        str | None, typer.Option(metavar="Q", help="Only what this search finds, in the libraries of all users.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and compare, and change nothing.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Read the kept originals of texts again with today's extractor, without the network.

    A text that becomes better or different gets a new version; a worse one is only reported. Nothing is removed. It
    runs beside the server at the lowest priority, and goes on where it was stopped or killed when it is started again.
    """
    if not (all_ or older_than is not None or query is not None):
        raise typer.BadParameter("say which: --all, --older-than V or --query Q")
    settings = quiet_settings(data_dir)
    with open_current_database(settings) as database, _stopping() as stopping:
        selection = RereadSelection(older_than or EXTRACTOR, _media_ids(settings, database, query))
        done = list(_run(settings, database, selection, stopping, dry_run=dry_run))
        with database.transaction() as session:
            so_far = results_so_far(session)
            left = count_due(session, older_than=selection.older_than, media_ids=selection.media_ids)
    report = _report(done, so_far, left=0 if dry_run else left, dry_run=dry_run)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False))
    else:
        _print(report, settings.server_url)
    if stopping.is_set():
        raise typer.Exit(INTERRUPTED)


def _media_ids(settings: Settings, database: Database, query: str | None) -> list[UUID] | None:
    if query is None:
        return None
    index_here(database, settings.data_dir)
    with database.transaction() as session:
        return list(dict.fromkeys(found_by(session, Indexes(settings.data_dir), query)))


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Set by Ctrl-C and SIGTERM: what is being read is finished, and the report is printed."""
    stopping = threading.Event()
    before = {each: signal.signal(each, lambda *_: stopping.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _run(
    settings: Settings, database: Database, selection: RereadSelection, stopping: threading.Event, *, dry_run: bool
) -> Iterator[RereadResult]:
    # Half of the cores, at the lowest priority: what is saved meanwhile goes first.
    at_once = max(1, len(os.sched_getaffinity(0)) // 2)
    console = Console(stderr=True)
    with database.transaction() as session:
        total = count_due(session, older_than=selection.older_than, media_ids=selection.media_ids)
    with (
        ProcessPool(workers=at_once, niceness=LOWEST_PRIORITY, deadline_seconds=DEADLINE_SECONDS) as pool,
        Progress(console=console, disable=not console.is_terminal, transient=True) as progress,
    ):
        bar = progress.add_task("Reading again", total=total)
        store = open_store(settings, database)
        rereader = Rereader(database, store, pool, min_chars=settings.worker_min_chars, dry_run=dry_run)
        for number, result in enumerate(rereader.run(selection, at_once=at_once, is_stopping=stopping.is_set), 1):
            progress.advance(bar)
            if not console.is_terminal and number % 100 == 0:
                typer.echo(f"{number} of {total}", err=True)
            yield result


def _report(done: list[RereadResult], so_far: dict[str, int], *, left: int, dry_run: bool) -> dict[str, Any]:
    counts: Counter[str] = Counter(each.result for each in done)
    return {
        "extractor": EXTRACTOR,
        "dry_run": dry_run,
        "read": len(done),
        "counts": {name: counts[name] for name in RESULTS},
        "counts_of_all_runs": {name: so_far.get(name, 0) for name in RESULTS},
        "left": left,
        "media": [asdict(each) | {"media_id": str(each.media_id)} for each in done if each.result != "same"],
    }


def _print(report: dict[str, Any], server_url: str) -> None:
    would = " Nothing was changed." if report["dry_run"] else ""
    counts = ", ".join(f"{count} {name}" for name, count in report["counts"].items())
    typer.echo(f"Read {report['read']} originals with extractor {report['extractor']}: {counts}.{would}")
    if report["left"]:
        typer.echo(f"{report['left']} are left; start it again to go on.")
    for result, heading in HEADINGS.items():
        found = [each for each in report["media"] if each["result"] == result]
        if found:
            typer.echo(heading)
        for each in found[:MAX_LISTED]:
            typer.echo(f"  {_line(each, server_url)}")
        if len(found) > MAX_LISTED:
            typer.echo(f"  and {len(found) - MAX_LISTED} more; --json lists all")


def _line(each: dict[str, Any], server_url: str) -> str:
    now = "" if each["words_after"] is None else f" → {each['words_after']}"
    words = f"({each['words_before']}{now} words)"
    parts = (f"{server_url.rstrip('/')}/read/{each['media_id']}", one_line(each["title"] or ""), words, each["detail"])
    return "  ".join(part for part in parts if part)
