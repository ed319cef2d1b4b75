"""Chapters from the JSON file a feed links to (``podcast:chapters``)."""

import json
from typing import Any

import ada_url

from nexus.errors import UnreadableTranscriptError
from nexus.podcasts.feed.model import Chapter
from nexus.podcasts.feed.parse import MAX_CHAPTERS
from nexus.podcasts.transcripts.segments import MAX_MS
from nexus.text.characters import one_line


def parse_chapters(data: bytes, base_url: str) -> tuple[Chapter, ...]:
    """Run it in a ProcessPool. Chapters that are not for the table of contents (``toc: false``) are left out."""
    try:
        listed = json.loads(data)["chapters"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableTranscriptError(
            "The chapters file does not have the format of the podcast namespace."
        ) from None
    found = []
    for each in listed[:MAX_CHAPTERS] if isinstance(listed, list) else ():
        if not isinstance(each, dict) or each.get("toc") is False:
            continue
        start, title = _milliseconds(each.get("startTime")), one_line(str(each.get("title") or ""))
        if start is not None and title:
            link, image = _url(each.get("url"), base_url), _url(each.get("img"), base_url)
            found.append(Chapter(start, title, _milliseconds(each.get("endTime")), link, image))
    return tuple(sorted(found, key=lambda chapter: chapter.start_ms))


def _milliseconds(value: Any) -> int | None:
    try:
        milliseconds = float(value) * 1000
    except (TypeError, ValueError, OverflowError):
        return None
    return round(milliseconds) if 0 <= milliseconds < MAX_MS else None


def _url(value: Any, base_url: str) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        url = ada_url.URL(value, base_url)
    except ValueError:
        return None
    return url.href if url.protocol in ("http:", "https:") else None
