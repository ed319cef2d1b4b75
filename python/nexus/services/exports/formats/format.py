"""What a format of exports is: an object that writes what a user chose into a file, entry by entry.

A new one implements `Format`, has its name in `FormatName` and is made in worker/export_formats.py.
"""

from typing import BinaryIO, Literal, Protocol

from nexus.services.exports.formats.chosen import ChosenEntries

FormatName = Literal["archive", "markdown", "html", "epub", "bookmarks", "readwise-csv"]


class ExportProgress(Protocol):
    """Each method raises ExportStoppedError once the file is not wanted any more; let it through."""

    def advance(self, entries: int = 1) -> None:
        """So many more of the chosen entries are done, written or left out."""

    def check(self) -> None:
        """For what takes long within one entry."""

    def leave_out(self, title: str, reason: str) -> None:
        """An entry that cannot be in the file; `reason` goes on after its title: "it has no text yet"."""


class Format(Protocol):
    """Made once per worker and used by one thread at a time."""

    @property
    def name(self) -> FormatName: ...

    def filename(self, chosen: ChosenEntries) -> str:
        """Its suffix says the type; `chosen.base_name` is the part before it."""

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        """Into an empty file that can be sought in; it is the caller's to close. Memory does not grow with the number
        of entries, but for what must be known of all of them, such as names. No transaction stays open between
        entries. A NexusError says to the user why there is no file."""
