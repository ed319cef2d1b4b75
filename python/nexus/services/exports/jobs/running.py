"""An export that is being written: into a file without a name, then into the store or a folder.

Whatever kills the worker, nothing is left: the file without a name goes with its process, and what was put into the
store is named by no row and will be collected.
"""

import errno
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from nexus.db.session import Database
from nexus.errors import DiskFullError, ExportStoppedError, NoRoomForExportError
from nexus.services.exports.formats.chosen import ChosenEntries, count_entries
from nexus.services.exports.formats.format import Format
from nexus.services.exports.jobs.folder import write_into_folder
from nexus.services.exports.jobs.queue import (
    MAX_LEFT_OUT,
    Counted,
    ExportClaim,
    WrittenFile,
    bytes_of_user,
    note_progress,
)
from nexus.services.exports.selection import LeftOut
from nexus.services.users import CurrentUser, ensure_user
from nexus.store import BlobStore
from nexus.store.blobs import MAX_BLOB

NOTE_SECONDS = 1.0
PIECE = 1 << 20
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class BoundedFile(io.BufferedRandom):
    """A file without a name that takes so many bytes."""

    def __init__(self, folder: Path, limit: int) -> None:
        # Not in the system's folder, which is memory on many machines.
        super().__init__(tempfile.TemporaryFile(dir=folder, buffering=0), PIECE)  # noqa: SIM115 - closed with this
        self._limit = limit

    def write(self, piece: object, /) -> int:
        data = memoryview(piece)  # type: ignore[arg-type] # whatever is a buffer
        if self.tell() + data.nbytes > self._limit:
            raise NoRoomForExportError(
                f"The file would be larger than the {self._limit:,} bytes that there is room for. Remove earlier "
                "exports, or export less at once: what a search finds."
            )
        return super().write(data)


@dataclass
class RunProgress:
    """Tells the user's open pages once a second, and finds out whether the export is still wanted."""

    database: Database
    claim: ExportClaim
    total: int
    stopping: Event
    done: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    _noted: float = field(default_factory=time.monotonic)

    def advance(self, entries: int = 1) -> None:
        self.done += entries
        self.check()

    def check(self) -> None:
        if self.stopping.is_set():
            raise ExportStoppedError("The worker stops; another one starts over.")
        if time.monotonic() - self._noted >= NOTE_SECONDS:
            self.note()

    def leave_out(self, title: str, reason: str) -> None:
        if len(self.left_out) < MAX_LEFT_OUT:
            self.left_out.append(LeftOut(title[:500], reason))

    def note(self) -> None:
        with self.database.transaction() as session:
            note_progress(session, self.claim, self.counted())
        self._noted = time.monotonic()

    def counted(self) -> Counted:
        return Counted(self.done, max(self.total, self.done), self.left_out)


@dataclass(frozen=True)
class ExportPlaces:
    """Where files are written: `scratch` while they grow, then the store, or a folder below `folder`."""

    store: BlobStore
    scratch: Path
    folder: Path | None
    bytes_per_user: int  # 0: no limit


def write_export(
    places: ExportPlaces, claim: ExportClaim, wanted: Format, stopping: Event
) -> tuple[WrittenFile, Counted]:
    """The file, where it stays. The row is the caller's to write."""
    database = places.store.database
    with database.transaction() as session:
        user = CurrentUser(claim.user_id, ensure_user(session, claim.user_id), is_operator=False)
        used = bytes_of_user(session, claim.user_id)
    total = count_entries(database, user, claim.media_ids)
    chosen = ChosenEntries(database, user, claim.media_ids, total, claim.created_at, claim.query)
    progress = RunProgress(database, claim, total, stopping)
    progress.note()
    try:
        places.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        with BoundedFile(places.scratch, _limit(places, claim, used)) as file:
            wanted.write(file, chosen, progress)
            progress.note()
            filename = wanted.filename(chosen)
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            if claim.destination == "folder":
                written = write_into_folder(places.folder, claim, filename, _pieces(file, progress.check))
            else:
                written = WrittenFile(filename, size, places.store.put(_pieces(file, progress.check)))
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise DiskFullError("The server's disk is full, so the export could not be written.") from error
    return written, progress.counted()


def _limit(places: ExportPlaces, claim: ExportClaim, used: int) -> int:
    if claim.destination == "folder":
        return 1 << 62
    return min(MAX_BLOB, max(0, places.bytes_per_user - used)) if places.bytes_per_user else MAX_BLOB


def _pieces(file: io.BufferedRandom, check: Callable[[], None]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        check()
        yield piece
