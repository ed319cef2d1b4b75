"""The interface of an export format: an object that writes the chosen entries into a file, one by one.

A new one implements `ExportFormat`, has its name in format_name.py and is created in worker/export_formats.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format_name import FormatName


@dataclass(frozen=True)
class ResumePoint:
    """What an attempt that was interrupted had finished. `cursor`: of its last checkpoint; `notes`: those of all of its
    checkpoints, in their order."""

    cursor: str
    notes: Sequence[Mapping[str, Any]]


class ExportProgress(Protocol):
    """Each method raises ExportStoppedError once the file is no longer wanted; do not catch it."""

    @property
    def resume_point(self) -> ResumePoint | None:
        """The sink has exactly what was written up to that checkpoint, and its position is behind that. None: it is
        empty."""

    def advance(self, entries: int = 1) -> None:
        """Count this many more entries as done: written or left out."""

    def check(self) -> None:
        """Call it during long work on one entry."""

    def leave_out(self, title: str, reason: str) -> None:
        """An entry that cannot be in the file; `reason` goes on after its title: "it has no text yet"."""

    def is_checkpoint_due(self) -> bool:
        """Every few seconds. A format that never asks starts over after an interruption."""

    def checkpoint(self, cursor: str, note: Mapping[str, Any]) -> None:
        """All that was written so far is final, and `cursor` says where to go on. `note`: what happened since the last
        checkpoint, as JSON, so that it is written once."""


class ExportFormat(Protocol):
    """Made once per worker and used by one thread at a time."""

    @property
    def name(self) -> FormatName: ...

    def filename(self, chosen: ChosenEntries) -> str:
        """Its suffix says the type; `chosen.base_name` is the part before it."""

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        """Into a file that can be sought in; it is the caller's to close. Memory does not grow with the number of
        entries, but for what must be known of all of them, such as names. No transaction stays open between entries. A
        NexusError says to the user why there is no file."""
