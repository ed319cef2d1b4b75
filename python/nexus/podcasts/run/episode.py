"""Processes one episode: fetches what is missing and writes its files."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from nexus.errors import BlockedAddressError, NexusError, NoTranscriptError, RunStoppedError, StoreError
from nexus.podcasts.chapters import parse_chapters
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus import episode_files
from nexus.podcasts.corpus.episode_files import Document
from nexus.podcasts.corpus.incidents import Incidents
from nexus.podcasts.corpus.layout import FeedFolder
from nexus.podcasts.corpus.status import timestamp
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.episode_text import read_notes
from nexus.podcasts.feed.identity import FeedEpisode, enclosure_alias
from nexus.podcasts.feed.model import Chapter, Entry
from nexus.podcasts.feed.state import FeedState
from nexus.podcasts.feed.urls import allowed_chapters, allowed_url
from nexus.podcasts.net.client import FeedClient
from nexus.podcasts.net.download import download
from nexus.podcasts.run.kept_audio import waiting_file
from nexus.podcasts.run.publisher_transcript import (
    ReceivedTranscript,
    Transcript,
    fetch_cached,
    fetch_publisher_transcript,
)
from nexus.podcasts.transcribe.provider import Provider, transcribe
from nexus.podcasts.transcripts.segments import Segment, is_timed
from nexus.text.process_pool import ProcessPool
from nexus.text.reading_time import count_words

Status = Literal["new", "updated", "unchanged", "no_transcript"]
MAX_CHAPTERS_BYTES = 2_000_000


@dataclass(frozen=True)
class EpisodeResult:
    status: Status
    document: Document
    segments: list[Segment] | None = None  # None: unchanged, read them from disk
    received: ReceivedTranscript | None = None  # in this run


@dataclass(frozen=True)
class EpisodeProcessor:
    client: FeedClient
    config: PodcastConfig
    pool: ProcessPool
    folder: FeedFolder
    state: FeedState
    provider: Provider
    incidents: Incidents
    run_id: str
    stage: Callable[[str], None]
    restore_audio: Callable[[Path], bool]  # what the store has; False: nothing

    def process(self, episode: FeedEpisode, stored: StoredEpisode) -> EpisodeResult:
        entry = episode.entry
        old = episode_files.load_document(self.folder, stored)
        if old and self._is_current(old, entry):
            return EpisodeResult("unchanged", old)
        transcript, new = self._transcript(entry, stored, old)
        notes = self.pool.run(read_notes, entry.notes, entry.link or self.state.url)
        document: Document = {
            "schema_version": episode_files.SCHEMA_VERSION,
            "feed": {key: getattr(self.state, key) for key in ("url", "slug", "title", "lang", "image_url")},
            "episode": self._episode_metadata(episode, stored),
            "show_notes": asdict(notes) if notes else None,
            "chapters": [asdict(chapter) for chapter in self._chapters(entry, stored)],
            "transcript": transcript,
            "fingerprints": {
                "entry": entry_fingerprint(entry),
                "transcript": transcript_fingerprint(entry, self.config),
            },
            "processing": {"at": timestamp(), "run_id": self.run_id, "version": version("nexus")},
        }
        episode_files.write_document(self.folder, stored.stem, document)
        self.folder.clear_work(stored.number)
        status: Status = "no_transcript" if transcript is None else "updated" if old else "new"
        return EpisodeResult(status, document, new.segments if new else None, new.received if new else None)

    def _is_current(self, old: Document, entry: Entry) -> bool:
        if self.config.skip_existing and old["transcript"]:
            return True
        fingerprints = old["fingerprints"]
        return bool(
            fingerprints["entry"] == entry_fingerprint(entry)
            and fingerprints["transcript"] == transcript_fingerprint(entry, self.config)
        )

    def _transcript(
        self, entry: Entry, stored: StoredEpisode, old: Document | None
    ) -> tuple[dict[str, Any] | None, Transcript | None]:
        """Its metadata, and the transcript if it is new; None where there is none."""
        same_source = old and old["fingerprints"]["transcript"] == transcript_fingerprint(entry, self.config)
        if old and same_source and old["transcript"]:
            return old["transcript"], None
        try:
            transcript = self._obtain(entry, stored, old)
        except NoTranscriptError:
            return (old["transcript"] if old else None), None
        self.stage("writing")
        pause = self.config.paragraph_pause_ms
        files = episode_files.write_transcript(self.folder, stored.stem, transcript.segments, pause_ms=pause)
        metadata = transcript.origin | {
            "files": files,
            "timed": is_timed(transcript.segments),
            "segments": len(transcript.segments),
            "words": sum(count_words(each.text) for each in transcript.segments),
            "speakers": list(dict.fromkeys(each.speaker for each in transcript.segments if each.speaker)),
        }
        return metadata, transcript

    def _obtain(self, entry: Entry, stored: StoredEpisode, old: Document | None) -> Transcript:
        work = self.folder.work(stored.number)
        self.stage("transcript")
        try:
            return fetch_publisher_transcript(self.client, self.pool, entry, work, default_language=self.state.lang)
        except RunStoppedError:
            raise
        except NexusError as error:
            if not self.config.transcribe_missing or not entry.enclosure_url:
                raise
            if not isinstance(error, NoTranscriptError):
                self._add_incident(stored, error, "transcript")
            return self._transcribed(entry.enclosure_url, stored, work, old)

    def _transcribed(self, audio_url: str, stored: StoredEpisode, work: Path, old: Document | None) -> Transcript:
        self.provider.check()
        waiting = waiting_file(self.folder, stored.stem, audio_url)
        audio = waiting if waiting.is_file() else work / "audio"
        self.stage("audio")
        self._get_audio(audio_url, audio, old)
        self.stage("transcription")
        language = self.config.language or self.state.lang
        transcription = transcribe(self.provider, audio, work / "pieces", language=language, stop=self.client.stop)
        if self.config.keep_audio != "none" and audio != waiting:
            self.folder.audio.mkdir(exist_ok=True)
            audio.replace(waiting)
        origin = {
            "source": transcription.provider, "model": transcription.model, "format": None, "url": None,
            "language": language,
        }  # fmt: skip
        return Transcript(transcription.segments, origin)

    def _get_audio(self, audio_url: str, path: Path, old: Document | None) -> None:
        """From the store if it was fetched from that address; the publisher may have replaced it at another."""
        was = old["episode"]["audio_url"] if old else None
        if was and _without_query(was) == _without_query(audio_url) and not path.exists():
            with suppress(StoreError):  # damaged or out of reach: fetch it
                self.restore_audio(path)
        download(self.client, audio_url, path, max_bytes=self.config.max_audio_bytes)

    def _chapters(self, entry: Entry, stored: StoredEpisode) -> tuple[Chapter, ...]:
        return allowed_chapters(self._all_chapters(entry, stored), self.client.may_request)

    def _all_chapters(self, entry: Entry, stored: StoredEpisode) -> tuple[Chapter, ...]:
        """A failure is recorded as an incident; the episode is processed without them."""
        if not entry.chapters_url:
            return entry.chapters
        self.stage("chapters")
        try:
            file = fetch_cached(self.client, entry.chapters_url, self.folder.work(stored.number), MAX_CHAPTERS_BYTES)
            return self.pool.run(parse_chapters, file.body, entry.chapters_url)
        except RunStoppedError:
            raise
        except NexusError as error:
            self._add_incident(stored, error, "chapters")
            return entry.chapters

    def _add_incident(self, stored: StoredEpisode, error: NexusError, stage: str) -> None:
        self.incidents.add("episode", error, stage=stage, feed_url=self.state.url, episode=stored.guid, lost=False)

    def _episode_metadata(self, episode: FeedEpisode, stored: StoredEpisode) -> dict[str, Any]:
        entry = episode.entry
        audio_url = allowed_url(entry.enclosure_url, self.client.may_request)
        if entry.enclosure_url and audio_url is None:
            message = "The address of the audio is left out: it is private, or not a web address."
            self._add_incident(stored, BlockedAddressError(message), "audio address")
        return {
            "number": stored.number,
            "stem": stored.stem,
            "guid": stored.guid,
            "guid_source": stored.guid_source,
            "aliases": stored.aliases,
            "title": entry.title,
            "link": entry.link,
            "published_at": entry.published_at.isoformat() if entry.published_at else None,
            "duration_ms": entry.duration_ms,
            "author": entry.author,
            "image_url": allowed_url(entry.image_url, self.client.may_request),
            "season": entry.season,
            "episode_number": entry.episode_number,
            "audio_url": audio_url,
            "audio_type": entry.enclosure_type,
        }


def entry_fingerprint(entry: Entry) -> str:
    """Changes with the entry; without the query strings of URLs, which may be tokens that change."""
    about = asdict(entry) | {"position": None, "enclosure_url": enclosure_alias(entry)}
    about["transcripts"] = _links_without_query(entry)
    about["chapters_url"] = _without_query(entry.chapters_url)
    about["image_url"] = _without_query(entry.image_url)
    return _digest(about)


def transcript_fingerprint(entry: Entry, config: PodcastConfig) -> str:
    """Changes with everything that decides which transcript an episode gets."""
    transcription: Any = None
    if config.transcribe_missing:
        model = config.transcription_model if config.transcription_provider == "openai" else config.whisper_model
        transcription = [config.transcription_provider, model, enclosure_alias(entry)]
    if entry.transcripts:
        transcription = transcription and "where the publisher's fail"
    return _digest([_links_without_query(entry), list(config.prefer_types), config.language, transcription])


def _links_without_query(entry: Entry) -> list[list[str | None]]:
    return [[_without_query(link.url), link.type, link.language] for link in entry.transcripts]


def _without_query(url: str | None) -> str | None:
    return url and url.partition("?")[0]


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
