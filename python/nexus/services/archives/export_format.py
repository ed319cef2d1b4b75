"""The archive as a format of exports."""

from typing import BinaryIO

from nexus.services.archives.writer import write_archive
from nexus.services.exports.formats.chosen_entries import ChosenEntries
from nexus.services.exports.formats.format import ExportProgress
from nexus.services.exports.formats.format_name import FormatName
from nexus.store import BlobStore


class Archive:
    """Its rows are read in one transaction, unlike those of other formats: they must fit together. The
    files, which take longer, are read after it."""

    name: FormatName = "archive"

    def __init__(self, store: BlobStore) -> None:
        self._store = store

    def filename(self, chosen: ChosenEntries) -> str:
        return f"{chosen.base_name}-archive.zip"

    def write(self, sink: BinaryIO, chosen: ChosenEntries, progress: ExportProgress) -> None:
        done = 0

        def advance(written: int, _: int) -> None:
            nonlocal done
            progress.advance(written - done)
            done = written

        found = write_archive(
            chosen.database, self._store, chosen.user, sink, media_ids=chosen.media_ids, on_progress=advance
        )
        if found.missing:
            progress.leave_out(f"{len(found.missing)} files", "the store does not have them whole")
        for each in found.left_out:
            progress.leave_out(f"Version {each['version']} of {each['media_id']}", "its page has too much text")
