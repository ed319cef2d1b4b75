"""Parses a feed. Run it in a ProcessPool: 526 KiB of attributes keep feedparser busy for 40 s."""

import io
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import ada_url

from nexus.errors import NotAFeedError
from nexus.podcasts.feed import podcast_namespace
from nexus.podcasts.feed.model import Chapter, Entry, Feed
from nexus.podcasts.transcripts.clock import clock_ms
from nexus.podcasts.transcripts.link import TranscriptLink
from nexus.text.characters import one_line, storable

MAX_TITLE = 1000
MAX_NOTES = 200_000
MAX_TRANSCRIPTS = 50
MAX_CHAPTERS = 1000
AUDIO_SUFFIX = re.compile(r"\.(mp3|m4a|m4b|aac|ogg|oga|opus|wav|flac)(\?|$)", re.I)
# A space instead: what separates words without being seen, and what may turn around the words after a title.
_INVISIBLE = re.compile("[\u200b\ufeff\u202a-\u202e\u2066-\u2069]")
MIN_YEAR = 1990  # older than any feed: 1970 is a zero, 0001 a default


def parse_feed(data: bytes, *, content_type: str | None, url: str) -> Feed:
    """feedparser gets a file, never a string: it would open a string that looks like a URL or a path."""
    import feedparser  # noqa: PLC0415 - only in the child process; a run without changes starts none

    podcast_namespace.install()
    header = _charset_that_fits(data, content_type)
    parsed = feedparser.parse(
        io.BytesIO(data), response_headers={"content-type": header}, sanitize_html=False, resolve_relative_uris=False
    )
    about = parsed.feed
    if not parsed.get("version") and not parsed.entries:
        raise NotAFeedError("This is not a podcast feed: neither RSS nor Atom could be found in it.")
    entries = tuple(_entry(position, item, url) for position, item in enumerate(parsed.entries))
    return Feed(
        title=_line(about.get("title")),
        description=_line(about.get("subtitle") or about.get("description")),
        link=_absolute(about.get("link"), url),
        lang=_value(about.get("language")),
        author=_line(about.get("author")),
        image_url=_absolute((about.get("image") or {}).get("href"), url),
        new_feed_url=_absolute(_value(about.get("itunes_new-feed-url")), url),
        entries=entries,
        complaint=_complaint(parsed),
    )


def _charset_that_fits(data: bytes, content_type: str | None) -> str:
    """Bytes that are valid UTF-8 are UTF-8, whatever the server or the document claims."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return content_type or "application/xml"
    return "application/xml; charset=utf-8"


def _entry(position: int, item: Mapping[str, Any], base: str) -> Entry:
    enclosure = _enclosure(item)
    chapters = item.get(podcast_namespace.CHAPTERS) or [{}]
    return Entry(
        position=position,
        guid=_value(item.get("id")),
        title=_line(item.get("title")),
        link=_absolute(item.get("link"), base),
        published_at=_moment(item.get("published_parsed") or _plain_get(item, "updated_parsed")),
        enclosure_url=_absolute(enclosure.get("href") or enclosure.get("url"), base),
        enclosure_type=_value(enclosure.get("type")),
        duration_ms=clock_ms(item.get("itunes_duration")) or None,
        author=_line(item.get("author")),
        image_url=_absolute((item.get("image") or {}).get("href"), base),
        episode_number=_value(item.get("itunes_episode")),
        season=_value(item.get("itunes_season")),
        notes=_notes(item),
        transcripts=_transcripts(item, base),
        chapters_url=_absolute(chapters[0].get("url"), base),
        chapters=_inline_chapters(item, base),
    )


def _enclosure(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The audio; where there is none, whatever is enclosed."""
    found = [*item.get("enclosures", ()), *item.get("media_content", ())]
    found = [each for each in found if each.get("href") or each.get("url")]
    for each in found:
        if str(each.get("type", "")).startswith("audio/") or AUDIO_SUFFIX.search(each.get("href") or each.get("url")):
            return each  # type: ignore[no-any-return]
    return found[0] if found else {}


def _transcripts(item: Mapping[str, Any], base: str) -> tuple[TranscriptLink, ...]:
    found: dict[str, TranscriptLink] = {}
    for each in item.get(podcast_namespace.TRANSCRIPTS, ())[:MAX_TRANSCRIPTS]:
        url = _absolute(each.get("url"), base)
        if url:
            link = TranscriptLink(url, _value(each.get("type")), _value(each.get("language")))
            found.setdefault(url, link)
    return tuple(found.values())


def _inline_chapters(item: Mapping[str, Any], base: str) -> tuple[Chapter, ...]:
    """Podlove Simple Chapters, which are part of the feed."""
    found = []
    for each in (item.get("psc_chapters") or {}).get("chapters", ())[:MAX_CHAPTERS]:
        start, title = clock_ms(each.get("start")), _line(each.get("title"))
        if start is not None and title:
            link, image = _absolute(each.get("href"), base), _absolute(each.get("image"), base)
            found.append(Chapter(start, title, None, link, image))
    return tuple(sorted(found, key=lambda chapter: chapter.start_ms))


def _notes(item: Mapping[str, Any]) -> str | None:
    """The longest of what a feed calls content, summary or description."""
    texts = [each.get("value") or "" for each in item.get("content", ())] + [item.get("summary") or ""]
    longest = max(texts, key=len)
    return storable(longest[:MAX_NOTES]) or None


def _plain_get(item: Mapping[str, Any], key: str) -> Any:
    """Bypasses feedparser's own lookup, which warns and returns another date."""
    return dict.get(item, key) if isinstance(item, dict) else None


def _line(value: Any) -> str | None:
    """For people: characters without a width that join others stay, because Persian words and emoji need them."""
    if not isinstance(value, str):
        return None
    return one_line(_INVISIBLE.sub(" ", value))[:MAX_TITLE] or None


def _value(value: Any) -> str | None:
    """For programs: nothing invisible. Another rule would change guids, by which stored episodes are found again."""
    if not isinstance(value, str):
        return None
    cleaned = "".join(char if char.isprintable() else " " for char in value)
    return " ".join(cleaned.split())[:MAX_TITLE] or None


def _absolute(value: Any, base: str) -> str | None:
    """An absolute http(s) URL, or None."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        url = ada_url.URL(value.strip(), base)
    except ValueError:
        return None
    return url.href if url.protocol in ("http:", "https:") else None


def _moment(parsed: time.struct_time | None) -> datetime | None:
    if parsed is None:
        return None
    try:
        moment = datetime(*parsed[:6], tzinfo=UTC)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.year >= MIN_YEAR else None


def _complaint(parsed: Mapping[str, Any]) -> str | None:
    if not parsed.get("bozo"):
        return None
    error = parsed.get("bozo_exception")
    return _line(f"{type(error).__name__}: {error}")
