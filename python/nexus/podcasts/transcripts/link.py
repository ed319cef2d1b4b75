"""The link to a transcript, as a feed gives it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TranscriptLink:
    url: str
    type: str | None = None
    language: str | None = None
