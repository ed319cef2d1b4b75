"""The publisher's transcript: the best one that can be read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.errors import NexusError, NoTranscriptError, RunStoppedError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.feed.model import Entry
from nexus.podcasts.net.client import FeedClient
from nexus.podcasts.transcripts.formats import Format, best_first, declared_format
from nexus.podcasts.transcripts.link import TranscriptLink
from nexus.podcasts.transcripts.read import read_transcript
from nexus.podcasts.transcripts.segments import Segment
from nexus.system.atomic_files import PRIVATE, WORLD_READABLE, replace_file
from nexus.text.process_pool import ProcessPool


@dataclass(frozen=True)
class CachedFile:
    body: bytes
    content_type: str | None
    path: Path


@dataclass(frozen=True)
class ReceivedTranscript:
    """The file as the publisher sent it."""

    body: bytes
    content_type: str | None
    url: str
    format: Format
    declared: Format | None


@dataclass(frozen=True)
class Transcript:
    segments: list[Segment]
    origin: dict[str, Any]  # for the metadata: source, model, format, url, language
    received: ReceivedTranscript | None = None  # None: it was made from the audio


def fetch_publisher_transcript(
    client: FeedClient, pool: ProcessPool, entry: Entry, work: Path, *, default_language: str | None
) -> Transcript:
    """Tries the links best first; raises if none can be read."""
    config = client.config
    links = best_first(entry.transcripts, prefer=config.prefer_types, language=config.language or default_language)
    if not links:
        raise NoTranscriptError("The publisher offers no transcript.")
    failure: NexusError | None = None
    for link in links:
        try:
            return _read(client, pool, link, work)
        except RunStoppedError:
            raise
        except NexusError as error:
            failure = _error_to_report(failure, error)
    raise failure or NoTranscriptError("The publisher offers no transcript.")


def _error_to_report(first: NexusError | None, later: NexusError) -> NexusError:
    """A retryable failure before any other, so that the episode is tried again."""
    if first is None or (not _is_retryable(first) and _is_retryable(later)):
        return later
    return first


def _is_retryable(error: NexusError) -> bool:
    return bool(getattr(error, "retryable", False))


def _read(client: FeedClient, pool: ProcessPool, link: TranscriptLink, work: Path) -> Transcript:
    file = fetch_cached(client, link.url, work, client.config.max_transcript_bytes)
    declared = declared_format(link)
    try:
        kind, segments = pool.run(read_transcript, file.body, content_type=file.content_type, declared=declared)
    except NexusError:
        file.path.unlink(missing_ok=True)  # the publisher may correct it: fetch it again next time
        raise
    origin = {"source": "publisher", "model": None, "format": kind, "url": link.url, "language": link.language}
    return Transcript(segments, origin, ReceivedTranscript(file.body, file.content_type, link.url, kind, declared))


def fetch_cached(client: FeedClient, url: str, work: Path, max_bytes: int) -> CachedFile:
    """Fetches a file once: after a kill the next run finds it in ``work``."""
    path = work / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.bin"
    about_path = path.with_suffix(".json")
    about = read_json(about_path)
    if about and path.is_file() and path.stat().st_size == about["bytes"]:
        return CachedFile(path.read_bytes(), about["content_type"], path)
    response = client.fetch(url, client.file_retries, max_bytes=max_bytes)
    work.mkdir(parents=True, exist_ok=True)
    content_type = response.headers.get("content-type")
    replace_file(path, response.body, mode=WORLD_READABLE)
    write_json(about_path, {"bytes": len(response.body), "content_type": content_type, "url": url}, mode=PRIVATE)
    return CachedFile(response.body, content_type, path)
