"""One episode, from its entry in the feed to its files: what is there is kept, what is missing is fetched."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from nexus.errors import BlockedAddressError, NexusError, NoTranscriptError, RunStoppedError
from nexus.podcasts.chapters import parse_chapters
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus import episode_files
from nexus.podcasts.corpus.episode_files import Document
from nexus.podcasts.corpus.incidents import Incidents
from nexus.podcasts.corpus.layout import FeedFolder
from nexus.podcasts.corpus.status import timestamp
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.episode_text import read_notes
from nexus.podcasts.feed.addresses import allowed_address, allowed_chapters
from nexus.podcasts.feed.identity import FeedEpisode, enclosure_alias
from nexus.podcasts.feed.model import Chapter, Entry
from nexus.podcasts.feed.state import FeedState
from nexus.podcasts.net.client import FeedClient
from nexus.podcasts.net.download import download
from nexus.podcasts.run.publisher_transcript import fetch_kept, publishers_transcript
from nexus.podcasts.transcribe.provider import Provider, transcribe
from nexus.podcasts.transcripts.segments import Segment, is_timed
from nexus.text.process_pool import TextPool
from nexus.text.reading_time import count_words

Status = Literal["new", "updated", "unchanged", "no_transcript"]
MAX_CHAPTERS_BYTES = 2_000_000
AUDIO_SUFFIXES = frozenset({".mp3", ".m4a", ".m4b", ".aac", ".ogg", ".oga", ".opus", ".wav", ".flac"})


@dataclass(frozen=True)
class EpisodeResult:
    status: Status
    document: Document
    segments: list[Segment] | None = None  # None: as they are on disk


@dataclass(frozen=True)
class Spoken:
    segments: list[Segment]
    about: dict[str, Any]  # where it comes from


@dataclass(frozen=True)
class EpisodeProcessor:
    client: FeedClient
    config: PodcastConfig
    pool: TextPool
    folder: FeedFolder
    state: FeedState
    provider: Provider
    incidents: Incidents
    run_id: str
    stage: Callable[[str], None]

    def make(self, named: FeedEpisode, known: StoredEpisode) -> EpisodeResult:
        entry = named.entry
        old = episode_files.load_document(self.folder, known)
        if old and self._is_current(old, entry):
            return EpisodeResult("unchanged", old)
        spoken, segments = self._transcript(entry, known, old)
        notes = self.pool.run(read_notes, entry.notes, entry.link or self.state.url)
        document: Document = {
            "schema_version": episode_files.SCHEMA_VERSION,
            "feed": {key: getattr(self.state, key) for key in ("url", "slug", "title", "lang", "image_url")},
            "episode": self._described(named, known),
            "show_notes": asdict(notes) if notes else None,
            "chapters": [
                asdict(each) for each in allowed_chapters(self._chapters(entry, known), self.client.may_request)
            ],
            "transcript": spoken,
            "fingerprints": {
                "entry": entry_fingerprint(entry),
                "transcript": transcript_fingerprint(entry, self.config),
            },
            "processing": {"at": timestamp(), "run_id": self.run_id, "version": version("nexus")},
        }
        episode_files.write_document(self.folder, known.stem, document)
        self.folder.clear_work(known.number)
        status: Status = "no_transcript" if spoken is None else "updated" if old else "new"
        return EpisodeResult(status, document, segments)

    def _is_current(self, old: Document, entry: Entry) -> bool:
        if self.config.skip_existing and old["transcript"]:
            return True
        kept = old["fingerprints"]
        return bool(
            kept["entry"] == entry_fingerprint(entry)
            and kept["transcript"] == transcript_fingerprint(entry, self.config)
        )

    def _transcript(
        self, entry: Entry, known: StoredEpisode, old: Document | None
    ) -> tuple[dict[str, Any] | None, list[Segment] | None]:
        """How the metadata describes it, and the segments if they are new; nothing where nobody has one."""
        same = old and old["fingerprints"]["transcript"] == transcript_fingerprint(entry, self.config)
        if old and same and old["transcript"]:
            return old["transcript"], None
        try:
            spoken = self._obtain(entry, known)
        except NoTranscriptError:
            return (old["transcript"] if old else None), None
        self.stage("writing")
        pause = self.config.paragraph_pause_ms
        files = episode_files.write_transcript(self.folder, known.stem, spoken.segments, pause_ms=pause)
        described = spoken.about | {
            "files": files,
            "timed": is_timed(spoken.segments),
            "segments": len(spoken.segments),
            "words": sum(count_words(each.text) for each in spoken.segments),
            "speakers": list(dict.fromkeys(each.speaker for each in spoken.segments if each.speaker)),
        }
        return described, spoken.segments

    def _obtain(self, entry: Entry, known: StoredEpisode) -> Spoken:
        work = self.folder.work(known.number)
        self.stage("transcript")
        try:
            found = publishers_transcript(self.client, self.pool, entry, work, default_language=self.state.lang)
        except RunStoppedError:
            raise
        except NexusError as error:
            if not self.config.transcribe_missing or not entry.enclosure_url:
                raise
            if not isinstance(error, NoTranscriptError):
                self._note(known, error, "transcript")
            return self._transcribed(entry.enclosure_url, known, work)
        return Spoken(found.segments, found.about)

    def _transcribed(self, audio_url: str, known: StoredEpisode, work: Path) -> Spoken:
        self.provider.check()
        kept = self.folder.audio / f"{known.stem}{_audio_suffix(audio_url)}"
        audio = kept if kept.is_file() else work / "audio"
        self.stage("audio")
        download(self.client, audio_url, audio, max_bytes=self.config.max_audio_bytes)
        self.stage("transcription")
        language = self.config.language or self.state.lang
        heard = transcribe(self.provider, audio, work / "pieces", language=language, stop=self.client.stop)
        if self.config.keep_audio and audio != kept:
            self.folder.audio.mkdir(exist_ok=True)
            audio.replace(kept)
        about = {"source": heard.provider, "model": heard.model, "format": None, "url": None, "language": language}
        return Spoken(heard.segments, about)

    def _chapters(self, entry: Entry, known: StoredEpisode) -> tuple[Chapter, ...]:
        """An episode without its chapters is still an episode: what went wrong is noted."""
        if not entry.chapters_url:
            return entry.chapters
        self.stage("chapters")
        try:
            kept = fetch_kept(self.client, entry.chapters_url, self.folder.work(known.number), MAX_CHAPTERS_BYTES)
            return self.pool.run(parse_chapters, kept.body, entry.chapters_url)
        except RunStoppedError:
            raise
        except NexusError as error:
            self._note(known, error, "chapters")
            return entry.chapters

    def _note(self, known: StoredEpisode, error: NexusError, stage: str) -> None:
        self.incidents.add("episode", error, stage=stage, feed_url=self.state.url, episode=known.guid, lost=False)

    def _described(self, named: FeedEpisode, known: StoredEpisode) -> dict[str, Any]:
        entry = named.entry
        audio_url = allowed_address(entry.enclosure_url, self.client.may_request)
        if entry.enclosure_url and audio_url is None:
            message = "The address of the audio is left out: it is private, or none that may be asked."
            self._note(known, BlockedAddressError(message), "audio address")
        return {
            "number": known.number,
            "stem": known.stem,
            "guid": known.guid,
            "guid_source": known.guid_source,
            "aliases": known.aliases,
            "title": entry.title,
            "link": entry.link,
            "published_at": entry.published_at.isoformat() if entry.published_at else None,
            "duration_ms": entry.duration_ms,
            "author": entry.author,
            "image_url": allowed_address(entry.image_url, self.client.may_request),
            "season": entry.season,
            "episode_number": entry.episode_number,
            "audio_url": audio_url,
            "audio_type": entry.enclosure_type,
        }


def entry_fingerprint(entry: Entry) -> str:
    """What the feed says about the episode; without the queries of addresses, which may be tokens that change."""
    about = asdict(entry) | {"position": None, "enclosure_url": enclosure_alias(entry)}
    about["transcripts"] = _plain_links(entry)
    about["chapters_url"] = _without_query(entry.chapters_url)
    about["image_url"] = _without_query(entry.image_url)
    return _digest(about)


def transcript_fingerprint(entry: Entry, config: PodcastConfig) -> str:
    """What decides which transcript an episode gets."""
    made: Any = None
    if config.transcribe_missing:
        model = config.transcription_model if config.transcription_provider == "openai" else config.whisper_model
        made = [config.transcription_provider, model, enclosure_alias(entry)]
    if entry.transcripts:
        made = made and "where the publisher's fail"
    return _digest([_plain_links(entry), list(config.prefer_types), config.language, made])


def _audio_suffix(url: str) -> str:
    suffix = Path(url.partition("?")[0]).suffix.lower()
    return suffix if suffix in AUDIO_SUFFIXES else ".audio"


def _plain_links(entry: Entry) -> list[list[str | None]]:
    return [[_without_query(link.url), link.type, link.language] for link in entry.transcripts]


def _without_query(url: str | None) -> str | None:
    return url and url.partition("?")[0]


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
