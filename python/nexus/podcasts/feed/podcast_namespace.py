# ruff: noqa: SLF001 - feedparser has no public API for namespaces; its own are mixed in like this
"""Adds the repeatable Podcasting 2.0 tags to feedparser, which by itself keeps only the last of them."""

from typing import Any

NAMESPACES = (
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
)
TRANSCRIPTS = "podcast_transcripts"
CHAPTERS = "podcast_chapters"


def _start_transcript(parser: Any, attributes: dict[str, str]) -> None:
    parser._get_context().setdefault(TRANSCRIPTS, []).append(dict(attributes))


def _start_chapters(parser: Any, attributes: dict[str, str]) -> None:
    parser._get_context().setdefault(CHAPTERS, []).append(dict(attributes))


def _end(_: Any) -> None:
    """Nothing was opened."""


def install() -> None:
    from feedparser.mixin import _FeedParserMixin  # noqa: PLC0415 - only where a feed is parsed

    for namespace in NAMESPACES:
        _FeedParserMixin.namespaces[namespace] = "podcast"
    _FeedParserMixin._start_podcast_transcript = _start_transcript
    _FeedParserMixin._end_podcast_transcript = _end
    _FeedParserMixin._start_podcast_chapters = _start_chapters
    _FeedParserMixin._end_podcast_chapters = _end
