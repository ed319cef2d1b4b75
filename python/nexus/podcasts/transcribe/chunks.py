"""The parts audio is cut into. Apart from the cutting, whose libraries a run without audio never loads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AudioChunk:
    name: str
    start_ms: int
    end_ms: int
