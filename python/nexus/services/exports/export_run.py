"""Writes one export: into a file of its work folder, then into the store or the export folder.

If the worker is killed, the next one continues from the last checkpoint. What was already put into the store is named
by no row and will be collected.
"""

import io
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from nexus.db.session import Database
from nexus.errors import DiskFullError, ExportStoppedError
from nexus.services.downloads.selection import LeftOut
from nexus.services.exports.folder import write_into_folder
from nexus.services.exports.formats.chosen_entries import ChosenEntries, count_entries
from nexus.services.exports.formats.format import ExportFormat, ResumePoint
from nexus.services.exports.queue import (
    MAX_LEFT_OUT,
    ExportClaim,
    ProgressCounts,
    WrittenFile,
    bytes_of_user,
    note_progress,
)
from nexus.services.exports.work_folder import Checkpoint, JournalHeader, WorkFolder, open_work_folder
from nexus.services.users import CurrentUser, ensure_user
from nexus.store import BlobStore
from nexus.store.blobs import MAX_BLOB
from nexus.system.disk_full import DISK_FULL_ERRNOS

NOTE_SECONDS = 1.0
# What is lost at most, in exchange for a sync of the disk.
CHECKPOINT_SECONDS = 5.0
CHUNK_BYTES = 1 << 20
NO_LIMIT = 1 << 62


@dataclass
class RunProgress:
    """Notifies the user's open pages once a second, and checks whether the export is still wanted."""

    database: Database
    claim: ExportClaim
    total: int
    stopping: Event
    work: WorkFolder
    resume_point: ResumePoint | None = None
    done: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    _noted: float = field(default_factory=time.monotonic)
    _saved: float = field(default_factory=time.monotonic)

    def resume(self) -> None:
        """Continue from the last checkpoint, if there is one."""
        if self.work.checkpoints:
            last = self.work.checkpoints[-1]
            self.resume_point, self.done, self.left_out = self.work.resume_point, last.done, list(last.left_out)

    def advance(self, entries: int = 1) -> None:
        self.done += entries
        self.check()

    def is_checkpoint_due(self) -> bool:
        return time.monotonic() - self._saved >= CHECKPOINT_SECONDS

    def checkpoint(self, cursor: str, note: Mapping[str, Any]) -> None:
        self.work.save(Checkpoint(self.work.file.tell(), cursor, note, self.done, self.left_out))
        self._saved = time.monotonic()

    def check(self) -> None:
        if self.stopping.is_set():
            raise ExportStoppedError("The worker is stopping; another one will continue.")
        if time.monotonic() - self._noted >= NOTE_SECONDS:
            self.note()

    def leave_out(self, title: str, reason: str) -> None:
        if len(self.left_out) < MAX_LEFT_OUT:
            self.left_out.append(LeftOut(title[:500], reason))

    def note(self) -> None:
        with self.database.transaction() as session:
            note_progress(session, self.claim, self.counts())
        self._noted = time.monotonic()

    def counts(self) -> ProgressCounts:
        return ProgressCounts(self.done, max(self.total, self.done), self.left_out)


@dataclass(frozen=True)
class ExportDestinations:
    """Where files are written: `scratch` while they grow, then the store, or a folder below `folder`."""

    store: BlobStore
    scratch: Path
    folder: Path | None
    bytes_per_user: int  # 0: no limit


def write_export(
    destinations: ExportDestinations, claim: ExportClaim, wanted: ExportFormat, stopping: Event
) -> tuple[WrittenFile, ProgressCounts]:
    """The file, where it stays. The row is the caller's to write."""
    is_in_folder = claim.destination == "folder"
    with destinations.store.database.transaction() as session:
        user = CurrentUser(claim.user_id, ensure_user(session, claim.user_id), is_operator=False)
        used = bytes_of_user(session, claim.user_id, in_folder=is_in_folder)
    limit = max(0, destinations.bytes_per_user - used) if destinations.bytes_per_user else NO_LIMIT
    try:
        with open_work_folder(destinations.scratch, claim.id, limit if is_in_folder else min(limit, MAX_BLOB)) as work:
            return _write(destinations, claim, wanted, user, work, stopping)
    except OSError as error:
        if error.errno not in DISK_FULL_ERRNOS:
            raise
        raise DiskFullError("The server's disk is full, so the export could not be written.") from error


def _write(
    destinations: ExportDestinations,
    claim: ExportClaim,
    wanted: ExportFormat,
    user: CurrentUser,
    work: WorkFolder,
    stopping: Event,
) -> tuple[WrittenFile, ProgressCounts]:
    database = destinations.store.database
    total = count_entries(database, user, claim.media_ids)
    if work.header is not None and work.checkpoints:
        total = work.header.total  # by which a format chooses between one file and many
    work.begin(JournalHeader.of(claim, total))
    chosen = ChosenEntries(database, user, claim.media_ids, total, claim.created_at, claim.query)
    progress = RunProgress(database, claim, total, stopping, work)
    progress.resume()
    progress.note()
    try:
        wanted.write(work.file, chosen, progress)
        progress.note()
        filename = wanted.filename(chosen)
        size = work.file.seek(0, io.SEEK_END)
        work.file.seek(0)
        chunks = _chunks(work.file, progress.check)
        if claim.destination == "folder":
            written = write_into_folder(destinations.folder, claim, filename, chunks, work.note_target)
        else:
            written = WrittenFile(filename, size, destinations.store.put(chunks))
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            work.discard()
        raise
    return written, progress.counts()


def _chunks(file: io.BufferedRandom, check: Callable[[], None]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        check()
        yield chunk
