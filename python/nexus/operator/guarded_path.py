"""Files below a directory that others can write too.

The pipeline's container has the whole corpus mounted, and must not lead the server out of it: no symbolic link below
the root is followed at any step, and only regular files and directories are opened (a FIFO would block the server).
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import ELOOP
from pathlib import Path
from typing import BinaryIO

from nexus.system.atomic_files import remove_leftovers_of, replace_file

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NOT_FOLLOWED = "it is a link or a special file, which is never followed here"


@dataclass(frozen=True)
class GuardedPath:
    root: Path
    parts: tuple[str, ...] = ()

    def __truediv__(self, name: str) -> "GuardedPath":
        return GuardedPath(self.root, (*self.parts, name))

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def path(self) -> Path:
        """For messages and for tests: opening it by this name would follow links."""
        return self.root.joinpath(*self.parts)

    @property
    def parent(self) -> "GuardedPath":
        return GuardedPath(self.root, self.parts[:-1])

    def with_name(self, name: str) -> "GuardedPath":
        return GuardedPath(self.root, (*self.parts[:-1], name))

    def open(self, flags: int, mode: int = 0o600) -> int:
        """A descriptor of a regular file."""
        with self._directory(self.parts[:-1]) as parent:
            fd = os.open(self.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode, dir_fd=parent)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(ELOOP, NOT_FOLLOWED, str(self))
        return fd

    def open_binary(self) -> BinaryIO:
        return os.fdopen(self.open(os.O_RDONLY), "rb")

    def read_bytes(self, limit: int) -> bytes:
        """The first bytes: a file that others write may be of any size."""
        with self.open_binary() as file:
            return file.read(limit)

    def entry(self) -> os.stat_result | None:
        """What is at the path itself, without following a link; None: there is nothing."""
        try:
            with self._directory(self.parts[:-1]) as parent:
                return os.stat(self.name, dir_fd=parent, follow_symlinks=False)
        except OSError:
            return None

    def exists(self) -> bool:
        return self.entry() is not None

    def is_directory(self) -> bool:
        found = self.entry()
        return found is not None and stat.S_ISDIR(found.st_mode)

    def modified_at(self) -> datetime | None:
        found = self.entry()
        if found is None or not stat.S_ISREG(found.st_mode):
            return None
        return datetime.fromtimestamp(found.st_mtime, UTC)

    def names(self) -> list[str]:
        try:
            with self._directory(self.parts) as fd:
                return sorted(os.listdir(fd))  # noqa: PTH208 - of a descriptor
        except FileNotFoundError:
            return []

    def make_directory(self, mode: int = 0o777) -> None:
        """With its parents."""
        for length in range(1, len(self.parts) + 1):
            with self._directory(self.parts[: length - 1]) as parent, suppress(FileExistsError):
                os.mkdir(self.parts[length - 1], mode, dir_fd=parent)
        with self._directory(self.parts):
            pass  # it is a directory, and not a link to one

    def touch(self) -> None:
        os.close(self.open(os.O_WRONLY | os.O_CREAT))

    def unlink(self) -> None:
        with suppress(FileNotFoundError), self._directory(self.parts[:-1]) as parent:
            os.unlink(self.name, dir_fd=parent)

    def remove_tree(self) -> None:
        with suppress(FileNotFoundError), self._directory(self.parts[:-1]) as parent:
            shutil.rmtree(self.name, ignore_errors=True, dir_fd=parent)

    def rename_to(self, other: "GuardedPath") -> None:
        """Within the same directory."""
        with self._directory(self.parts[:-1]) as parent:
            os.rename(self.name, other.name, src_dir_fd=parent, dst_dir_fd=parent)

    def sync_parent(self) -> None:
        with self._directory(self.parts[:-1]) as parent:
            os.fsync(parent)

    def replace_with(self, data: bytes) -> None:
        """Old or new and never a mix; on disk when this returns."""
        with self._directory(self.parts[:-1]) as parent:
            replace_file(Path(self.name), data, durable=True, dir_fd=parent)

    def remove_leftovers(self) -> None:
        """What writers of this file that were killed left beside it."""
        with self._directory(self.parts[:-1]) as parent:
            remove_leftovers_of(Path(self.name), dir_fd=parent)

    @contextmanager
    def _directory(self, parts: tuple[str, ...]) -> Iterator[int]:
        fd = os.open(self.root, DIRECTORY)
        try:
            for name in parts:
                deeper = os.open(name, DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
                os.close(fd)
                fd = deeper
            yield fd
        finally:
            os.close(fd)
