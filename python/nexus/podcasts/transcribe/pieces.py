"""What audio is cut into. Apart from the cutting, which takes libraries that a run without audio never loads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    name: str
    start_ms: int
    end_ms: int
