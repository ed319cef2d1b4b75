"""Shows a run: progress bars on a terminal, lines in a log, events as JSON; and a table at the end."""

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from nexus.podcasts.run.plan import FeedPlan
from nexus.podcasts.run.reporter import STATUSES, Reporter

HEADINGS = {"no_transcript": "no transcript"}
MAX_LISTED = 20
TITLE_WIDTH = 40


@contextmanager
def reporter_for(*, as_json: bool) -> Iterator[Reporter]:
    if as_json:
        yield JsonReporter()
    elif sys.stderr.isatty():
        with Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[doing]}"), console=Console(stderr=True),
        ) as progress:  # fmt: skip
            bars = BarReporter(progress)
            yield bars
        if bars.summary:
            show_summary(bars.summary)
    else:
        lines = LineReporter()
        yield lines
        if lines.summary:
            show_summary(lines.summary)


class JsonReporter:
    """One event on each line of standard output."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def report(self, event: str, **facts: Any) -> None:
        line = json.dumps({"event": event, **facts}, ensure_ascii=False, default=str)
        with self._lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


class LineReporter:
    """A line for each result on standard error; stages are left out."""

    def __init__(self) -> None:
        self.summary: dict[str, Any] | None = None

    def report(self, event: str, **facts: Any) -> None:
        match event:
            case "feed_started":
                typer.echo(f"feed {facts['url']}", err=True)
            case "feed_read":
                title = facts["title"] or facts["slug"]
                typer.echo(f"feed {title}: {facts['selected']} of {facts['episodes']} episodes selected", err=True)
            case "feed_moved":
                typer.echo(f"feed {facts['slug']} moved to {facts['to']} ({facts['how']})", err=True)
            case "episode_done" if facts["status"] != "unchanged":
                why = f": {facts['code']}: {facts['message']}" if facts["status"] == "failed" else ""
                typer.echo(f"{facts['status']} {facts['number']:04d} {facts['title'] or 'untitled'}{why}", err=True)
            case "feed_done" if facts["error"]:
                typer.echo(f"failed {facts['url']}: {facts['error']['message']}", err=True)
            case "run_done":
                self.summary = facts


class BarReporter:
    """A bar for each feed, with the current stage and episode."""

    def __init__(self, progress: Progress) -> None:
        self.summary: dict[str, Any] | None = None
        self._progress = progress
        self._bars: dict[str, TaskID] = {}

    def report(self, event: str, **facts: Any) -> None:
        if event == "run_done":
            self.summary = facts
        elif event == "feed_started":
            self._bars[facts["slug"]] = self._progress.add_task(_shortened(facts["url"]), total=None, doing="feed")
        elif "slug" in facts and facts["slug"] in self._bars:
            self._report_feed(self._bars[facts["slug"]], event, facts)

    def _report_feed(self, bar: TaskID, event: str, facts: dict[str, Any]) -> None:
        match event:
            case "feed_read":
                title = _shortened(facts["title"] or facts["slug"])
                self._progress.update(bar, description=title, total=facts["selected"])
            case "episode_stage":
                doing = f"{facts['stage']} · {_shortened(facts['title'] or 'untitled')}"
                self._progress.update(bar, doing=doing)
            case "episode_done":
                self._progress.advance(bar)
            case "feed_done":
                doing = escape(facts["error"]["message"]) if facts["error"] else "done"
                total = max(facts["selected"], 1)
                self._progress.update(bar, doing=doing, total=total, completed=facts["selected"])


def show_summary(run: dict[str, Any]) -> None:
    table = Table(title="Stopped before the end" if run["stopped"] else None)
    table.add_column("feed", overflow="fold")
    for status in STATUSES:
        table.add_column(HEADINGS.get(status, status), justify="right")
    for feed in run["feeds"]:
        name = escape(feed["title"] or feed["url"])
        if feed["error"]:
            name += f"\n[red]{escape(feed['error']['message'])}[/red]"
        table.add_row(name, *(_shown_count(feed, status) for status in STATUSES))
    console = Console()
    console.print(table)
    failures = [failure for feed in run["feeds"] for failure in feed["failures"]]
    for failure in failures[:MAX_LISTED]:
        console.print(f"{failure['number']:04d} {failure['title'] or 'untitled'}: {failure['message']}", markup=False)
    if len(failures) > MAX_LISTED:
        console.print(f"… and {len(failures) - MAX_LISTED} more; they are in run.json.", markup=False)
    _show_audio(console, run)
    removed = sum(feed["removed"] for feed in run["feeds"])
    if removed:
        console.print(f"Skipped, removed from the library earlier: {removed}. To add them again: --restore-removed")


def _show_audio(console: Console, run: dict[str, Any]) -> None:
    kept = sum(feed["audio_kept"] for feed in run["feeds"])
    if kept:
        console.print(f"Audio kept of episodes: {kept}.")
    waiting = [each for feed in run["feeds"] for each in feed["audio_waiting"]]
    if waiting:
        console.print(f"Audio not kept yet: {len(waiting)}. The texts are saved; the next run tries again.")
    for each in waiting[:MAX_LISTED]:
        console.print(f"{each['number']:04d} {each['title'] or 'untitled'}: {each['message']}", markup=False)


def _shown_count(feed: dict[str, Any], status: str) -> str:
    """A feed that could not be read has no episodes to count."""
    if not feed["error"] or feed["counts"][status]:
        return str(feed["counts"][status])
    return "whole feed" if status == "failed" else "-"


def show_plans(plans: Sequence[FeedPlan], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in plans], ensure_ascii=False, indent=1))
        return
    for each in plans:
        typer.echo(f"{each.title or each.url} ({each.url})")
        if each.error:
            typer.echo(f"  couldn't read the feed: {each.error['message']}")
            continue
        typer.echo(f"  {each.unchanged} unchanged, {len(each.episodes)} to do")
        for episode in each.episodes:
            where = f" {episode.url}" if episode.url else ""
            typer.echo(f"  {episode.published_at or 'undated'} {episode.title or 'untitled'}: {episode.action}{where}")


def _shortened(text: str) -> str:
    return escape(text if len(text) <= TITLE_WIDTH else text[: TITLE_WIDTH - 1] + "…")
