"""The work folder of an export that is being written: its file, and a journal of how much of the file is final.

There is one for each export, on the disk of the worker's machine. After a kill, the next worker truncates the file to
the last checkpoint and continues there; on another machine the export starts over. A folder whose export has ended, or
no longer exists, is removed by the next worker that looks.
"""

import fcntl
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Self
from uuid import UUID

from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import ExportFolderError, NoRoomForExportError
from nexus.logging import get_logger
from nexus.services.downloads.selection import LeftOut
from nexus.services.exports.folder import remove_from_folder
from nexus.services.exports.formats.format import ResumePoint
from nexus.services.exports.queue import UNFINISHED, ExportClaim, WrittenFile

log = get_logger(__name__)

FILE = "file"
JOURNAL = "journal"
CHUNK_BYTES = 1 << 20
OF_FOLDERS = text("SELECT id, status, filename FROM exports WHERE id = ANY(:ids)")
# What a journal raises that is damaged, or was written by a release with other fields.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)


class BoundedFile(io.BufferedRandom):
    """A file that accepts a limited number of bytes."""

    def __init__(self, path: Path, limit: int) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        super().__init__(io.FileIO(descriptor, "r+"), CHUNK_BYTES)
        self._limit = limit

    def write(self, chunk: object, /) -> int:
        data = memoryview(chunk)  # type: ignore[arg-type] # whatever is a buffer
        if self.tell() + data.nbytes > self._limit:
            raise NoRoomForExportError(
                f"The file would be larger than the {self._limit:,} bytes available. Remove earlier exports, or export "
                "less at once: what a search finds."
            )
        return super().write(data)


@dataclass(frozen=True)
class JournalHeader:
    """The first line. Another release may write the format in another way, so it starts over."""

    format: str
    total: int
    release: str

    @classmethod
    def of(cls, claim: ExportClaim, total: int) -> Self:
        return cls(claim.format, total, version("nexus"))


@dataclass(frozen=True)
class Checkpoint:
    """The first `size` bytes are final. `cursor` and `note` are the format's."""

    size: int
    cursor: str
    note: Mapping[str, Any]
    done: int
    left_out: Sequence[LeftOut]


class WorkFolder:
    """The files of one attempt, locked by the kernel. `header` and `checkpoints` are of the attempts before it."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file = self._locked(limit)
        self._journal: BinaryIO = (path / JOURNAL).open("ab+")
        self.header: JournalHeader | None = None
        self.checkpoints: list[Checkpoint] = []
        self._read()

    def begin(self, header: JournalHeader) -> None:
        """Resume if this is the export that was begun, else start over."""
        if self.header != header or not self.checkpoints:
            self.discard()
            self.header = header
            self._append({"header": asdict(header)})
        size = self.checkpoints[-1].size if self.checkpoints else 0
        self.file.truncate(size)
        self.file.seek(size)

    @property
    def resume_point(self) -> ResumePoint | None:
        if not self.checkpoints:
            return None
        return ResumePoint(self.checkpoints[-1].cursor, [each.note for each in self.checkpoints])

    def save(self, checkpoint: Checkpoint) -> None:
        """What the file has so far is on the disk before the journal says so."""
        self.file.flush()
        os.fdatasync(self.file.fileno())
        self._append({"checkpoint": asdict(checkpoint)})

    def note_target(self, user_id: UUID, file: WrittenFile) -> None:
        """Record the name that the file is about to get in a folder: after a kill at that moment no row has it."""
        about = {"filename": file.filename, "size": file.size, "modified_ns": file.modified_ns}
        about |= {"user_id": str(user_id)}
        self._append({"target": about})

    def discard(self) -> None:
        """Free the disk space; the next attempt starts over."""
        self.header, self.checkpoints = None, []
        self.file.seek(0)
        self.file.truncate(0)
        self._journal.truncate(0)

    def close(self) -> None:
        with suppress(OSError):  # what a full disk left in its buffer is not wanted
            self.file.close()
        self._journal.close()

    def _locked(self, limit: int) -> BoundedFile:
        """One that another process has open belongs to a worker that lost its lease and does not know yet: it keeps
        what it has, under no name. Not by a FileLock: the lock is that of the data file itself, in the descriptor that
        writes it, so that it is taken away with its name and lasts as long as anybody can write."""
        file = BoundedFile(self.path / FILE, limit)
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            for name in (FILE, JOURNAL):
                (self.path / name).unlink(missing_ok=True)
            file = BoundedFile(self.path / FILE, limit)
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def _read(self) -> None:
        """A journal that cannot be read counts as empty, so that the export starts over."""
        size = self.file.seek(0, io.SEEK_END)
        self._journal.seek(0)
        try:
            self.header, self.checkpoints = _read_journal(self._journal, size)
        except UNREADABLE as error:
            log.warning("an export starts over: its journal cannot be read", folder=str(self.path), reason=str(error))

    def _append(self, line: Mapping[str, Any]) -> None:
        self._journal.write(json.dumps(line).encode() + b"\n")
        self._journal.flush()


def _read_journal(journal: BinaryIO, size: int) -> tuple[JournalHeader | None, list[Checkpoint]]:
    """With the checkpoints within the first `size` bytes of the file. The release is compared before anything else is
    read: in another one the lines may have other fields."""
    header: JournalHeader | None = None
    checkpoints: list[Checkpoint] = []
    for line in _whole_lines(journal):
        if "header" in line:
            if line["header"]["release"] != version("nexus"):
                return None, []
            header = JournalHeader(**line["header"])
        elif "checkpoint" in line and line["checkpoint"]["size"] <= size:
            left_out = [LeftOut(**each) for each in line["checkpoint"]["left_out"]]
            checkpoints.append(Checkpoint(**line["checkpoint"] | {"left_out": left_out}))
    return header, checkpoints


def _whole_lines(journal: BinaryIO) -> Iterator[dict[str, Any]]:
    """Up to one that a kill cut off, which is cut off here, too."""
    end = 0
    for line in journal:
        if not line.endswith(b"\n"):
            journal.truncate(end)
            return
        end += len(line)
        yield json.loads(line)


@contextmanager
def open_work_folder(scratch: Path, export_id: UUID, limit: int) -> Iterator[WorkFolder]:
    folder = WorkFolder(scratch / str(export_id), limit)
    try:
        yield folder
    finally:
        folder.close()


def remove_ended(database: Database, scratch: Path, root: Path | None) -> None:
    """Remove the folders of exports that have ended or no longer exist. Also the file of one that was cancelled while
    the file got its name in `root`, if its worker was killed before it removed the file."""
    if not scratch.is_dir():
        return
    folders = {found: path for path in scratch.iterdir() if (found := _id_of(path))}
    if not folders:
        return
    with database.transaction() as session:
        rows = {row.id: row for row in session.execute(OF_FOLDERS, {"ids": list(folders)})}
    for export_id, path in folders.items():
        row = rows.get(export_id)
        if row is not None and row.status in UNFINISHED:
            continue
        with suppress(ExportFolderError):  # the folder is not available: later
            for user_id, file in _targets(path):
                if row is None or row.filename != file.filename:
                    remove_from_folder(root, user_id, file)
            shutil.rmtree(path, ignore_errors=True)


def _targets(path: Path) -> Iterator[tuple[UUID, WrittenFile]]:
    with suppress(FileNotFoundError, *UNREADABLE), (path / JOURNAL).open("rb+") as journal:
        for line in _whole_lines(journal):
            if target := line.get("target"):
                yield UUID(target.pop("user_id")), WrittenFile(**target)


def _id_of(path: Path) -> UUID | None:
    try:
        return UUID(path.name)
    except ValueError:
        return None
