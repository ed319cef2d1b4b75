"""Which transcript to take, and which format it really has, whatever its label says."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

import ada_url

from nexus.podcasts.transcripts.link import TranscriptLink

Format = Literal["vtt", "json", "srt", "html", "plain"]
# Best first. VTT has times and voices; JSON too, but often a segment for each word; SRT has no voices.
FORMATS_BEST_FIRST: tuple[Format, ...] = get_args(Format)
TYPES: dict[str, Format] = {
    "text/vtt": "vtt", "text/webvtt": "vtt", "application/vtt": "vtt", "application/webvtt": "vtt", "vtt": "vtt",
    "application/json": "json", "text/json": "json", "application/x-json": "json", "json": "json",
    "application/srt": "srt", "application/x-subrip": "srt", "application/subrip": "srt", "text/srt": "srt",
    "application/x-srt": "srt", "text/x-srt": "srt", "text/x-subrip": "srt", "srt": "srt",
    "text/html": "html", "application/xhtml+xml": "html", "html": "html",
    "text/plain": "plain", "text": "plain", "plain": "plain", "txt": "plain",
}  # fmt: skip
SUFFIXES: dict[str, Format] = {
    ".vtt": "vtt", ".webvtt": "vtt", ".json": "json", ".srt": "srt",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".txt": "plain",
}  # fmt: skip
CUE_TIME = re.compile(r"\d{1,2}:\d{2}[.,]\d{1,3}\s*-{2,}>\s*(?:\d{1,4}:)?\d{1,2}:\d{2}")
SNIFFED_CHARS = 4096
UNKNOWN_RANK = len(FORMATS_BEST_FIRST)


def declared_format(link: TranscriptLink) -> Format | None:
    """By its type, else by the suffix of its URL; the suffix overrides ``text/plain``."""
    by_type = TYPES.get((link.type or "").partition(";")[0].strip().lower())
    path = ada_url.URL(link.url).pathname.lower()
    by_suffix = next((kind for suffix, kind in SUFFIXES.items() if path.endswith(suffix)), None)
    return (by_suffix or by_type) if by_type in (None, "plain") else by_type


def best_first(links: Sequence[TranscriptLink], *, prefer: Sequence[str], language: str | None) -> list[TranscriptLink]:
    """By the operator's preference, then the language, then the format, then the order in the feed."""
    wanted = [TYPES.get(name.strip().lower(), name.strip().lower()) for name in prefer]

    def rank(link: TranscriptLink) -> tuple[int, int, int]:
        kind = declared_format(link)
        preferred = wanted.index(kind) if kind in wanted else len(wanted)
        return preferred, _language_rank(link, language), FORMATS_BEST_FIRST.index(kind) if kind else UNKNOWN_RANK

    return sorted(links, key=rank)


def _language_rank(link: TranscriptLink, language: str | None) -> int:
    if not language or not link.language:
        return 1
    return 0 if link.language.lower().partition("-")[0] == language.lower().partition("-")[0] else 2


def detect_format(text: str, declared: Format | None) -> Format:
    """By content; the declared format decides only where the content fits several."""
    start = text[:SNIFFED_CHARS].lstrip()
    if start.startswith("WEBVTT"):
        return "vtt"
    if CUE_TIME.search(start):
        return "vtt" if declared == "vtt" else "srt"
    if start.startswith(("{", "[{")) or (start.startswith("[") and declared == "json"):
        return "json"
    if re.match(r"(?i)<(!doctype|html|head|body|p|cite|time|div|section|article|h[1-6]|!--)\b", start):
        return "html"
    return "plain" if declared in (None, "plain", "vtt", "srt") else declared
