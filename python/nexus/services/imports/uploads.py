"""Uploaded files during their request: each upload has a folder, which is removed when the request ends."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from nexus.errors import DiskFullError
from nexus.system.disk_full import DISK_FULL_ERRNOS
from nexus.system.file_lock import FileLock

LOCK = "lock"
NO_ROOM = "The server's disk is full, so the upload could not be kept. Nothing was changed."


@dataclass(frozen=True)
class UploadedFile:
    name: str  # as the user knows it
    path: Path
    size: int


class Upload:
    """Written by one thread at a time. `reserve`: so many bytes of the disk stay free, as in the store."""

    def __init__(self, folder: Path, reserve: int) -> None:
        self.folder = folder
        self.files: list[UploadedFile] = []
        self.reserve = reserve
        self._writing: _Writing | None = None

    def begin(self, name: str) -> None:
        with full_disk_as_error():
            path = self.folder / f"{len(self.files)}"
            self._writing = _Writing(name, path, path.open("xb"))

    def write(self, chunk: bytes) -> None:
        if self._writing is None:
            raise ValueError("no file was begun")
        self.leave_reserve(len(chunk))
        with full_disk_as_error():
            self._writing.file.write(chunk)
        self._writing.size += len(chunk)

    def end(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            with full_disk_as_error():
                writing.file.close()
            self.files.append(UploadedFile(writing.name, writing.path, writing.size))

    def discard(self) -> None:
        if self._writing is not None:
            self._writing.abandon()
        shutil.rmtree(self.folder, ignore_errors=True)

    def leave_reserve(self, more: int) -> None:
        free = os.statvfs(self.folder)
        if free.f_bavail * free.f_frsize - more < self.reserve:
            raise DiskFullError(NO_ROOM)


@dataclass
class _Writing:
    name: str
    path: Path
    file: BinaryIO
    size: int = field(default=0)

    def abandon(self) -> None:
        with suppress(OSError):  # what a full disk left in its buffer is not wanted
            self.file.close()


class Uploads:
    """Each folder is locked as long as its request lasts; the next upload removes those that are not."""

    def __init__(self, folder: Path, reserve: int = 0) -> None:
        self._folder = folder
        self._reserve = reserve

    @contextmanager
    def receive(self) -> Iterator[Upload]:
        with full_disk_as_error():
            self.remove_leftovers()
            with self._making():
                folder = Path(tempfile.mkdtemp(dir=self._folder))
                lock = FileLock(folder / LOCK)
                lock.acquire()
        upload = Upload(folder, self._reserve)
        with lock:
            try:
                yield upload
            finally:
                upload.discard()

    def remove_leftovers(self) -> int:
        """Folders of uploads whose process was killed."""
        if not self._folder.is_dir():
            return 0
        removed = 0
        with self._making():
            for folder in self._folder.iterdir():
                if folder.is_dir() and _is_abandoned(folder):
                    shutil.rmtree(folder, ignore_errors=True)
                    removed += 1
        return removed

    @contextmanager
    def _making(self) -> Iterator[None]:
        """No other process sees a folder between its creation and its locking."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self._folder / LOCK) as lock:
            lock.acquire(wait=True)
            yield


def _is_abandoned(folder: Path) -> bool:
    try:
        return FileLock(folder / LOCK).is_free()
    except FileNotFoundError:
        return False  # its request has just ended


@contextmanager
def full_disk_as_error() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL_ERRNOS:
            raise
        raise DiskFullError(NO_ROOM) from error
