"""The transcript a publisher offers: the best one that can be read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.errors import NexusError, NoTranscriptError, RunStoppedError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.feed.model import Entry
from nexus.podcasts.net.client import FeedClient
from nexus.podcasts.transcripts.formats import declared_format, in_order
from nexus.podcasts.transcripts.link import TranscriptLink
from nexus.podcasts.transcripts.read import read_transcript
from nexus.podcasts.transcripts.segments import Segment
from nexus.system.atomic_files import OPEN, PRIVATE, replace_file
from nexus.text.process_pool import TextPool


@dataclass(frozen=True)
class Kept:
    body: bytes
    content_type: str | None
    path: Path


@dataclass(frozen=True)
class Found:
    segments: list[Segment]
    about: dict[str, Any]


def publishers_transcript(
    client: FeedClient, pool: TextPool, entry: Entry, work: Path, *, default_language: str | None
) -> Found:
    """The next best one where the best cannot be had; the first failure if none can."""
    config = client.config
    links = in_order(entry.transcripts, prefer=config.prefer_types, language=config.language or default_language)
    if not links:
        raise NoTranscriptError("The publisher offers no transcript.")
    failure: NexusError | None = None
    for link in links:
        try:
            return _read(client, pool, link, work)
        except RunStoppedError:
            raise
        except NexusError as error:
            failure = _worse(failure, error)
    raise failure or NoTranscriptError("The publisher offers no transcript.")


def _worse(first: NexusError | None, later: NexusError) -> NexusError:
    """A passing failure is worth another try, so it is the one to report."""
    if first is None or (not _may_pass(first) and _may_pass(later)):
        return later
    return first


def _may_pass(error: NexusError) -> bool:
    return bool(getattr(error, "retryable", False))


def _read(client: FeedClient, pool: TextPool, link: TranscriptLink, work: Path) -> Found:
    kept = fetch_kept(client, link.url, work, client.config.max_transcript_bytes)
    try:
        kind, segments = pool.run(
            read_transcript, kept.body, content_type=kept.content_type, declared=declared_format(link)
        )
    except NexusError:
        kept.path.unlink(missing_ok=True)  # the publisher may put it right; then it is to be fetched anew
        raise
    about = {"source": "publisher", "model": None, "format": kind, "url": link.url, "language": link.language}
    return Found(segments, about)


def fetch_kept(client: FeedClient, url: str, work: Path, max_bytes: int) -> Kept:
    """Fetched once: a run that comes back after a kill finds it."""
    path = work / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.bin"
    about = path.with_suffix(".json")
    known = read_json(about)
    if known and path.is_file() and path.stat().st_size == known["bytes"]:
        return Kept(path.read_bytes(), known["content_type"], path)
    answer = client.fetch(url, client.for_files, max_bytes=max_bytes)
    work.mkdir(parents=True, exist_ok=True)
    content_type = answer.headers.get("content-type")
    replace_file(path, answer.body, mode=OPEN)
    write_json(about, {"bytes": len(answer.body), "content_type": content_type, "url": url}, mode=PRIVATE)
    return Kept(answer.body, content_type, path)
