"""Small pages that say something about themselves."""

import json
from datetime import UTC, datetime
from typing import Any

from nexus.text.extraction.metadata.read_metadata import Metadata, read_metadata
from nexus.text.extraction.parse_html import parse_html

URL = "https://www.example.test/a/b"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def read(head: str = "", body: str = "", url: str | None = URL, lang: str = "") -> Metadata:
    return read_metadata(parse_html(f"<html {lang}><head>{head}</head><body>{body}</body></html>"), url, now=NOW)


def ld(*nodes: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps(nodes[0] if len(nodes) == 1 else list(nodes))}</script>'


def article(**values: Any) -> dict[str, Any]:
    return {"@type": "Article", **values}


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


def named(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'
