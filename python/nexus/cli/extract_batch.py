"""Extracts many pages on all cores: one line in, one line out, in the same order."""

import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from nexus.errors import NexusError, UnreadableInputError
from nexus.system.atomic_files import WORLD_READABLE, replacing
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import read_page

LINES_AHEAD = 4  # per worker: enough to keep it busy, few enough to keep memory flat


def extract_lines(source: Path, target: Path, *, workers: int) -> None:
    """The target appears under its name when it is complete."""
    try:
        with source.open("rb") as lines, replacing(target, mode=WORLD_READABLE) as out:
            size = source.stat().st_size
            with Progress(console=Console(stderr=True)) as progress:
                bar = progress.add_task("Reading pages", total=size)
                for line, record in _in_order(lines, workers):
                    out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                    progress.advance(bar, len(line))
    except OSError as error:
        raise UnreadableInputError(f"{error.filename or source}: {error.strerror}.") from error


def _in_order(lines: Iterator[bytes], workers: int) -> Iterator[tuple[bytes, dict[str, Any]]]:
    under_way: deque[tuple[bytes, Future[dict[str, Any]]]] = deque()
    with ProcessPool(workers=workers) as pool, ThreadPoolExecutor(workers) as threads:
        for line in lines:
            under_way.append((line, threads.submit(_record, pool, line)))
            if len(under_way) >= workers * LINES_AHEAD:
                done, future = under_way.popleft()
                yield done, future.result()
        while under_way:
            done, future = under_way.popleft()
            yield done, future.result()


def _record(pool: ProcessPool, line: bytes) -> dict[str, Any]:
    record: dict[str, Any] = dict.fromkeys(("id", "text", "title", "content_html", "verdict", "error"))
    try:
        page = json.loads(line)
        record["id"] = page["id"]
        html, url = page["html"].encode(errors="replace"), page.get("url")
    except (ValueError, TypeError, KeyError, AttributeError):
        return record | {"error": "invalid_line"}
    try:
        read = pool.run(read_page, html, content_type="text/html; charset=utf-8", url=url)
    except NexusError as error:
        return record | {"error": error.code}
    return record | {
        "text": read.text,
        "title": read.about.title,
        "content_html": read.html_sanitized,
        "verdict": asdict(read.verdict),
    }
