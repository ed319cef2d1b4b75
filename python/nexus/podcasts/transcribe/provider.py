"""Transcribes audio chunk by chunk; a chunk that was transcribed is never sent again."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from nexus.errors import TranscriptionFailedError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.net.pacing import StopFlag
from nexus.podcasts.transcribe.chunks import AudioChunk
from nexus.podcasts.transcripts.segments import Segment, tidy


class Provider(Protocol):
    """``name`` and ``model`` are recorded in the metadata; ``cut_key`` names how audio is cut."""

    name: str
    model: str
    cut_key: str

    def check(self) -> None:
        """Raises TranscriptionUnavailableError before any audio is fetched."""

    def cut(self, audio: Path, folder: Path) -> list[AudioChunk]: ...

    def transcribe(self, chunk: Path, *, duration_ms: int, language: str | None) -> list[Segment]:
        """Times are relative to the start of the chunk."""


@dataclass(frozen=True)
class Transcription:
    segments: list[Segment]
    provider: str
    model: str


def transcribe(provider: Provider, audio: Path, folder: Path, *, language: str | None, stop: StopFlag) -> Transcription:
    folder = folder / provider.cut_key
    folder.mkdir(parents=True, exist_ok=True)
    segments: list[Segment] = []
    for chunk in _chunks(provider, audio, folder):
        stop.check()
        segments += _transcribed(provider, folder, chunk, language)
    found = tidy(segments)
    if not found:
        raise TranscriptionFailedError("The transcription service found no words in the audio.")
    return Transcription(found, provider.name, provider.model)


def _chunks(provider: Provider, audio: Path, folder: Path) -> list[AudioChunk]:
    """The list is written after all chunks."""
    listing = folder / "pieces.json"
    listed = read_json(listing)
    if listed:
        return [AudioChunk(**each) for each in listed]
    chunks = provider.cut(audio, folder)
    write_json(listing, [asdict(chunk) for chunk in chunks])
    return chunks


def _transcribed(provider: Provider, folder: Path, chunk: AudioChunk, language: str | None) -> list[Segment]:
    path = folder / f"{chunk.name}.json"
    document = read_json(path)
    if document is None or document["model"] != provider.model:
        segments = provider.transcribe(
            folder / chunk.name, duration_ms=chunk.end_ms - chunk.start_ms, language=language
        )
        document = {"model": provider.model, "segments": [asdict(each) for each in segments]}
        write_json(path, document)
    return [_shifted(Segment(**each), chunk) for each in document["segments"]]


def _shifted(segment: Segment, chunk: AudioChunk) -> Segment:
    """With times relative to the whole audio; a service may report times after the end of the chunk."""
    start = min(chunk.start_ms + (segment.start_ms or 0), chunk.end_ms)
    end = min(chunk.start_ms + (segment.end_ms or 0), chunk.end_ms) if segment.end_ms is not None else None
    return replace(segment, start_ms=start, end_ms=end)
