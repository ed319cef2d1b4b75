"""A transcript from audio, piece by piece: a piece that was transcribed once is never sent again."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from nexus.errors import TranscriptionFailedError
from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.net.pacing import Stop
from nexus.podcasts.transcribe.pieces import Piece
from nexus.podcasts.transcripts.segments import Segment, tidy


class Provider(Protocol):
    """``name`` and ``model`` say in the metadata where a transcript comes from; ``cut_key`` how audio is cut."""

    name: str
    model: str
    cut_key: str

    def check(self) -> None:
        """Raises TranscriptionUnavailableError where it cannot work, before any audio is fetched."""

    def cut(self, audio: Path, folder: Path) -> list[Piece]: ...

    def transcribe(self, piece: Path, *, duration_ms: int, language: str | None) -> list[Segment]:
        """Times count from the beginning of the piece."""


@dataclass(frozen=True)
class Transcription:
    segments: list[Segment]
    provider: str
    model: str


def transcribe(provider: Provider, audio: Path, folder: Path, *, language: str | None, stop: Stop) -> Transcription:
    folder = folder / provider.cut_key
    folder.mkdir(parents=True, exist_ok=True)
    segments: list[Segment] = []
    for piece in _pieces(provider, audio, folder):
        stop.check()
        segments += _transcribed(provider, folder, piece, language)
    found = tidy(segments)
    if not found:
        raise TranscriptionFailedError("The transcription service heard no words in the audio.")
    return Transcription(found, provider.name, provider.model)


def _pieces(provider: Provider, audio: Path, folder: Path) -> list[Piece]:
    """The list is written when all pieces are."""
    listing = folder / "pieces.json"
    listed = read_json(listing)
    if listed:
        return [Piece(**each) for each in listed]
    pieces = provider.cut(audio, folder)
    write_json(listing, [asdict(piece) for piece in pieces])
    return pieces


def _transcribed(provider: Provider, folder: Path, piece: Piece, language: str | None) -> list[Segment]:
    kept = folder / f"{piece.name}.json"
    known = read_json(kept)
    if known is None or known["model"] != provider.model:
        heard = provider.transcribe(folder / piece.name, duration_ms=piece.end_ms - piece.start_ms, language=language)
        known = {"model": provider.model, "segments": [asdict(each) for each in heard]}
        write_json(kept, known)
    return [_shifted(Segment(**each), piece) for each in known["segments"]]


def _shifted(segment: Segment, piece: Piece) -> Segment:
    """Onto the clock of the whole; a service may hear a moment beyond the end of its piece."""
    start = min(piece.start_ms + (segment.start_ms or 0), piece.end_ms)
    end = min(piece.start_ms + (segment.end_ms or 0), piece.end_ms) if segment.end_ms is not None else None
    return replace(segment, start_ms=start, end_ms=end)
