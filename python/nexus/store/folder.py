"""A store in a folder.

All calls go through a descriptor of the folder in which the marker was seen: where the disk was unmounted meanwhile,
nothing is written into the empty folder that it was mounted on.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from nexus.errors import StoreUnavailableError
from nexus.store.backend import CHUNK_BYTES, MARKER, StoredObject, key_of, sha256_of
from nexus.store.failures import full, reserve_reached, unavailable
from nexus.system.atomic_files import replace_file, sync_directory
from nexus.system.disk_full import DISK_FULL_ERRNOS

TEMPORARY = "tmp"
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderSpool:
    def __init__(self, folder: "FolderBackend", file: IO[bytes], name: str, root: int) -> None:
        self._folder = folder
        self.file = file
        self.name = name
        self.root = root

    def write(self, chunk: bytes) -> None:
        self._folder.leave_reserve(self.root, len(chunk))
        with self._folder.writing():
            self.file.write(chunk)


class FolderBackend:
    kind = "folder"

    def __init__(self, root: Path, reserve: int = 0) -> None:
        """`reserve`: so many bytes of the disk are never used, since the database is usually on the same one."""
        self._root = root
        self.reserve: int | None = reserve
        self.location = str(root)

    def read_marker(self) -> bytes | None:
        try:
            return (self._root / MARKER).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable(error) from error

    def write_marker(self, content: bytes) -> None:
        with self.writing():
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._root / MARKER, content, durable=True)
            sync_directory(self._root.parent)

    @contextmanager
    def spool(self) -> Iterator[FolderSpool]:
        with self._opened() as root:
            name = f"{TEMPORARY}/{secrets.token_hex(16)}"
            with self.writing():
                _make_folder(TEMPORARY, root)
                file = os.fdopen(os.open(name, NEW, 0o600, dir_fd=root), "w+b", buffering=CHUNK_BYTES)
            try:
                yield FolderSpool(self, file, name, root)
            finally:
                with suppress(OSError):  # what a full disk left in the buffer
                    file.close()
                with suppress(FileNotFoundError):  # it was published
                    os.unlink(name, dir_fd=root)

    def size_of(self, sha256: bytes) -> int | None:
        key = key_of(sha256)
        with self._opened() as root:
            try:
                found = os.stat(key, dir_fd=root, follow_symlinks=False)
            except FileNotFoundError:
                return None
            except OSError as error:
                raise self._unavailable(error) from error
            if not stat.S_ISREG(found.st_mode):
                return None
            # Its writer may have been killed between the rename and this.
            with self.writing():
                _sync_folders(key, root)
            return found.st_size

    def publish(self, spool: FolderSpool, sha256: bytes) -> None:
        key = key_of(sha256)
        with self.writing():
            spool.file.flush()
            os.fsync(spool.file.fileno())
            _make_folder(key.partition("/")[0], spool.root)
            os.rename(spool.name, key, src_dir_fd=spool.root, dst_dir_fd=spool.root)
            _sync_folders(key, spool.root)

    def open(self, sha256: bytes, start: int, end: int | None) -> Iterator[bytes]:
        with self._opened() as root:
            try:
                file = os.fdopen(os.open(key_of(sha256), READ, dir_fd=root), "rb", buffering=0)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise self._unavailable(error) from error
        return self._chunks(file, start, end)

    def _chunks(self, file: IO[bytes], start: int, end: int | None) -> Iterator[bytes]:
        with file:
            try:
                file.seek(start)
                left = None if end is None else end - start
                while left is None or left > 0:
                    chunk = file.read(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left))
                    if not chunk:
                        return
                    left = None if left is None else left - len(chunk)
                    yield chunk
            except OSError as error:
                raise self._unavailable(error) from error

    def delete(self, sha256: bytes) -> None:
        with self._opened() as root, self.writing(), suppress(FileNotFoundError):
            os.unlink(key_of(sha256), dir_fd=root)

    def list(self, after: bytes = b"") -> Iterator[StoredObject]:
        beyond = after.hex()
        with self._opened() as root:
            for folder in sorted(_names(".", root)):
                if len(folder) == 2 and folder >= beyond[:2]:  # noqa: PLR2004 - the first byte of the hash
                    yield from self._list_folder(folder, root, beyond)

    def _list_folder(self, folder: str, root: int, beyond: str) -> Iterator[StoredObject]:
        for name in sorted(each for each in _names(folder, root) if each > beyond):
            sha256 = sha256_of(folder, name)
            with suppress(FileNotFoundError):  # deleted since
                found = os.stat(f"{folder}/{name}", dir_fd=root, follow_symlinks=False)
                if sha256 and stat.S_ISREG(found.st_mode):
                    yield StoredObject(sha256, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))

    def free_bytes(self) -> int | None:
        with self._opened() as root:
            return _free(root)

    def leave_reserve(self, root: int, size: int) -> None:
        """StoreFullError where `size` more bytes would use what is reserved."""
        if self.reserve and _free(root) - size < self.reserve:
            raise reserve_reached(self.location, self.reserve)

    def remove_leftovers(self, before: datetime) -> int:
        removed = 0
        with self._opened() as root:
            for name in _names(TEMPORARY, root):
                path = f"{TEMPORARY}/{name}"
                with self.writing(), suppress(FileNotFoundError):
                    if os.stat(path, dir_fd=root, follow_symlinks=False).st_mtime < before.timestamp():
                        os.unlink(path, dir_fd=root)
                        removed += 1
        return removed

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            root = os.open(self._root, DIRECTORY)
        except OSError as error:
            raise self._unavailable(error) from error
        try:
            try:
                os.stat(MARKER, dir_fd=root)
            except OSError as error:
                raise self._unavailable(error) from error
            yield root
        finally:
            os.close(root)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What the disk refuses, in words."""
        try:
            yield
        except OSError as error:
            if error.errno not in DISK_FULL_ERRNOS:
                raise self._unavailable(error) from error
            raise full(self.location, error.strerror) from error

    def _unavailable(self, error: OSError) -> StoreUnavailableError:
        message = "The folder in which originals and pictures are kept cannot be used now."
        return unavailable(self.location, error.strerror, message)


def _free(root: int) -> int:
    found = os.statvfs(root)
    return found.f_bavail * found.f_frsize


def _make_folder(name: str, root: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=root)


def _sync_folders(key: str, root: int) -> None:
    """The name of the file in its folder, and the folder's own name."""
    folder = os.open(key.partition("/")[0], DIRECTORY, dir_fd=root)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    os.fsync(root)


def _names(folder: str, root: int) -> list[str]:
    try:
        opened = os.open(folder, DIRECTORY, dir_fd=root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        return os.listdir(opened)  # noqa: PTH208 - of a descriptor
    finally:
        os.close(opened)
