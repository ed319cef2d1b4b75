"""Progress and summary of a run, as shown by the command."""

import io
from typing import Any

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from nexus.cli.podcast.show import BarReporter, LineReporter, show_summary

COUNTS = {"new": 1, "updated": 0, "unchanged": 0, "no_transcript": 0, "failed": 1}
FAILURE = {
    "number": 2,
    "guid": "g",
    "title": "[b]Bad[/b]",
    "code": "http_404",
    "message": "h responded with status 404.",
}
FEED: dict[str, Any] = {
    "slug": "s", "url": "https://h.example/f", "title": "[red]Show", "selected": 2, "counts": COUNTS,
    "failures": [FAILURE], "error": None, "moved_to": None, "removed": 3, "audio_kept": 4,
    "audio_waiting": [FAILURE | {"message": "There is no room left."}],
}  # fmt: skip
BROKEN = FEED | {"title": None, "error": {"code": "http_500", "message": "It broke."}, "failures": []}
BROKEN["counts"] = dict.fromkeys(COUNTS, 0)


def report_run(reporter: BarReporter | LineReporter) -> None:
    reporter.report("run_started", run_id="r", feeds=1, corpus="c")
    reporter.report("feed_started", slug="s", url="https://h.example/f")
    reporter.report("feed_moved", slug="s", to="https://new.example/f", how="permanent redirect")
    reporter.report("feed_read", slug="s", title="[red]Show", episodes=9, selected=2)
    reporter.report("episode_stage", slug="s", number=1, title="One", stage="transcript")
    reporter.report("episode_done", slug="s", number=1, title="One", status="new")
    reporter.report("episode_done", slug="s", number=2, title="Two", status="failed", code="http_404", message="gone")
    reporter.report("feed_done", **FEED)
    reporter.report("run_done", run_id="r", feeds=[FEED, BROKEN], stopped=False)


def test_a_bar_for_each_feed() -> None:
    screen = io.StringIO()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[doing]}"))
    with Progress(*columns, console=Console(file=screen, force_terminal=True, width=160)) as progress:
        reporter = BarReporter(progress)
        report_run(reporter)
    (bar,) = progress.tasks
    assert (bar.total, bar.completed, bar.fields["doing"]) == (2, 2, "done")
    assert "[red]Show" in screen.getvalue()  # a title is text, never markup
    assert reporter.summary is not None


def test_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    report_run(LineReporter())
    assert capsys.readouterr().err.splitlines() == [
        "feed https://h.example/f",
        "feed s moved to https://new.example/f (permanent redirect)",
        "feed [red]Show: 2 of 9 episodes selected",
        "new 0001 One",
        "failed 0002 Two: http_404: gone",
    ]


def test_table_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary({"feeds": [FEED, BROKEN], "stopped": True, "run_id": "r"})
    said = capsys.readouterr().out
    for text in (
        "Stopped before the end",
        "[red]Show",
        "It broke.",
        "whole feed",
        "0002 [b]Bad[/b]: h responded with status 404.",
        "library earlier: 6. To add them again:",
        "Audio kept of episodes: 8.",
        "Audio not kept yet: 2. The texts are saved",
        "0002 [b]Bad[/b]: There is no room left.",
    ):
        assert text in said
