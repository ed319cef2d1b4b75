"""Feeds for tests, as publishers write them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape

NAMESPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:psc="http://podlove.org/simple-chapters"'
)
FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)


def day(number: int) -> str:
    return format_datetime(FIRST_DAY + timedelta(days=number))


def item(
    number: int,
    *,
    guid: str | None = "",
    title: str | None = None,
    date: str | None = None,
    audio: str | None = None,
    transcripts: tuple[tuple[str, str], ...] = (),
    extra: str = "",
) -> str:
    """``guid`` None: without one; empty: one made from the number."""
    parts = [f"<title>{escape(title if title is not None else f'Episode {number}')}</title>"]
    if guid is not None:
        parts.append(f'<guid isPermaLink="false">{escape(guid or f"guid-{number}")}</guid>')
    parts.append(f"<pubDate>{date if date is not None else day(number)}</pubDate>")
    if audio:
        parts.append(f'<enclosure url="{escape(audio)}" type="audio/mpeg" length="1"/>')
    parts += [f'<podcast:transcript url="{escape(url)}" type="{kind}"/>' for url, kind in transcripts]
    return f"<item>{''.join(parts)}{extra}</item>"


def rss(items: list[str], *, title: str = "A Show", head: str = "", encoding: str = "utf-8") -> bytes:
    """Newest first, as most feeds are: give the items in that order."""
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0" {NAMESPACES}><channel>'
        f"<title>{escape(title)}</title><link>https://show.example/</link><language>en</language>{head}"
        f"{''.join(items)}</channel></rss>"
    )
    return text.encode(encoding)


def vtt(*lines: str) -> str:
    """A cue every four seconds: 'Ada: hello' has a voice, 'hello' has none."""
    cues = ["WEBVTT\n"]
    for index, words in enumerate(lines):
        speaker, separator, text = words.partition(": ")
        start = 4 * index
        voice = f"<v {speaker}>{text}" if separator else words
        cues.append(
            f"00:{start // 60:02d}:{start % 60:02d}.000 --> 00:{start // 60:02d}:{start % 60 + 2:02d}.600\n{voice}\n"
        )
    return "\n".join(cues)
