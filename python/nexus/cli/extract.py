"""``nexus extract``: fetch a page and extract its text, without a server or a database."""

import json
import os
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from nexus.cli.extract_batch import extract_lines
from nexus.cli.extract_link import NOT_AN_ARTICLE, Render, read_link
from nexus.errors import UnreadableInputError
from nexus.text.markdown import to_markdown
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import ReadPage, read_page


class Format(StrEnum):
    text = "text"
    html = "html"
    markdown = "markdown"
    json = "json"


def register(app: typer.Typer) -> None:
    app.command("extract")(extract)


def extract(
    source: Annotated[
        str | None, typer.Argument(metavar="URL|FILE|-", help="A link or a saved page; - reads stdin.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="The page's address, to resolve its relative links.")] = None,
    output: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.text,
    render: Annotated[
        Render | None,
        typer.Option(help="Use a browser: only for pages that need one (auto), always, or never.", show_default="auto"),
    ] = None,
    jsonl: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="IN OUT", help="Many pages on all cores: lines {id, url, html} in, a line out for each."),
    ] = None,
) -> None:
    """Print the main text of a page. Exit 3: the page is a wall, an error or an empty shell, and stderr says which."""
    if (source is None) == (jsonl is None):
        raise typer.BadParameter("give either a link or a file (or -), or --jsonl IN OUT")
    if jsonl:
        extract_lines(*jsonl, workers=os.cpu_count() or 1)
        return
    given = source or "-"
    with ProcessPool(workers=1) as pool:
        if _is_link(given):
            page: ReadPage = read_link(given, pool, render=render, base_url=base_url)
        else:
            page = pool.run(read_page, _read(given), content_type=None, url=base_url)
        typer.echo(_rendered(page, output, pool))
    if page.verdict.outcome != "ok":
        typer.echo(f"nexus: {page.verdict.outcome}: {page.verdict.reason}: {page.verdict.evidence}", err=True)
        raise typer.Exit(NOT_AN_ARTICLE)


def _is_link(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _read(source: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UnreadableInputError(f"Cannot read {source}: {error.strerror}.") from error


def _rendered(page: ReadPage, output: Format, pool: ProcessPool) -> str:
    match output:
        case Format.text:
            return page.text
        case Format.html:
            return page.html_sanitized
        case Format.markdown:
            return pool.run(to_markdown, page.html_sanitized)
        case Format.json:
            return json.dumps(_record(page), ensure_ascii=False, indent=1)


def _record(page: ReadPage) -> dict[str, Any]:
    about = asdict(page.about)
    published = page.about.published_at
    return about | {
        "published_at": published.isoformat() if published else None,
        "content_html": page.html_sanitized,
        "text": page.text,
        "verdict": asdict(page.verdict),
    }
