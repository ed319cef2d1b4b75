"""An import as text: what it would do, and what it did."""

from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

MAX_ROWS = 10
MAX_PROBLEMS = 10
TITLE_WIDTH = 60
COUNTED = (
    ("items", "links and texts"),
    ("with_content", "with their text"),
    ("highlights", "highlights"),
    ("feeds", "feeds"),
    ("feed_items", "of subscriptions, left out"),
    ("problems", "rows that cannot be imported"),
)


def show_preview(made: dict[str, Any]) -> None:
    counts = made["counts"]
    parts = [f"{counts[name]} {words}" for name, words in COUNTED if counts[name]]
    typer.echo(f"{made['label']}: {', '.join(parts) or 'nothing'}")
    table = Table("Title", "Saved", "Tags", "State", box=None, pad_edge=False)
    for row in made["rows"][:MAX_ROWS]:
        title = Text(_short(row["title"] or row["url"] or ""))
        table.add_row(title, (row["saved_at"] or "")[:10], Text(", ".join(row["tags"])), _state(row))
    if made["rows"]:
        Console(soft_wrap=True).print(table)
    if made["total"] - counts["problems"] > MAX_ROWS:
        typer.echo(f"… and {made['total'] - counts['problems'] - MAX_ROWS} more")
    _show_problems(made["problems"][:MAX_PROBLEMS], counts["problems"])


def show_report(made: dict[str, Any], failed: list[dict[str, Any]]) -> None:
    outcomes, fetching = made["outcomes"], made["fetching"]
    parts = [f"{outcomes[name]} {name}" for name in ("added", "merged", "unchanged", "failed", "waiting")]
    typer.echo(f"{made['status'].capitalize()}: {', '.join(parts)}")
    if sum(fetching.values()):
        pages = [f"{count} {name.replace('_', ' ')}" for name, count in fetching.items() if count]
        typer.echo(f"Pages: {', '.join(pages)}")
    if made["message"]:
        typer.echo(f"nexus: {made['message']}", err=True)
    _show_problems(failed, outcomes["failed"])
    typer.echo(f"Report: GET /api/imports/{made['id']}/report.csv")


def _show_problems(rows: list[dict[str, Any]], in_all: int) -> None:
    for row in rows:
        typer.echo(f"nexus: {row['file']}:{row['line']}: {row['message']}", err=True)
    if in_all > len(rows):
        typer.echo(f"nexus: … and {in_all - len(rows)} more", err=True)


def _short(title: str) -> str:
    return title if len(title) <= TITLE_WIDTH else title[: TITLE_WIDTH - 1] + "…"


def _state(row: dict[str, Any]) -> str:
    states = [name for name in ("archived", "starred", "read") if row[name]]
    if row["highlights"]:
        states.append(f"{row['highlights']} highlights")
    if row["has_content"]:
        states.append("text")
    return ", ".join(states)
