"""A feed, whichever format it was written in."""

from dataclasses import dataclass
from datetime import datetime

from nexus.podcasts.transcripts.link import TranscriptLink


@dataclass(frozen=True, slots=True)
class Chapter:
    start_ms: int
    title: str
    end_ms: int | None = None
    url: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of a feed; ``position`` is its index in the document."""

    position: int
    guid: str | None
    title: str | None
    link: str | None = None
    published_at: datetime | None = None
    enclosure_url: str | None = None
    enclosure_type: str | None = None
    duration_ms: int | None = None
    author: str | None = None
    image_url: str | None = None
    episode_number: str | None = None
    season: str | None = None
    notes: str | None = None
    transcripts: tuple[TranscriptLink, ...] = ()
    chapters_url: str | None = None
    chapters: tuple[Chapter, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    title: str | None
    description: str | None
    link: str | None
    lang: str | None
    author: str | None
    image_url: str | None
    new_feed_url: str | None
    entries: tuple[Entry, ...]
    complaint: str | None = None  # what is wrong with a document that could still be read
