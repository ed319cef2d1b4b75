"""Files that appear complete or not at all: written under a temporary name, then renamed.

``dir_fd``: the open folder of the file, for folders in which others may place links; the path is then only the file's
name.
"""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

PRIVATE = 0o600
WORLD_READABLE = 0o666  # less the umask
TEMPORARY_SUFFIX = ".tmp"


@contextmanager
def replacing(
    path: Path, *, mode: int = PRIVATE, durable: bool = False, dir_fd: int | None = None
) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of the old one when the block ends, and is removed when the block fails.
    Durable: on disk when this returns."""
    temporary = path.with_name(f"{temporary_prefix(path.name)}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}")
    # Opened first: where the folder cannot be synced, the old file stays.
    with _opened(path.parent, dir_fd) if durable else nullcontext() as folder:
        try:
            with os.fdopen(_create(temporary, mode, dir_fd), "wb") as file:
                yield file
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.rename(temporary, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=dir_fd)
            raise
        if folder is not None:
            os.fsync(folder)


def replace_file(
    path: Path, data: bytes, *, mode: int = PRIVATE, durable: bool = False, dir_fd: int | None = None
) -> None:
    with replacing(path, mode=mode, durable=durable, dir_fd=dir_fd) as file:
        file.write(data)


def temporary_prefix(name: str) -> str:
    """By its hash: the name itself may be as long as a name can be."""
    return f".{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}."


def is_temporary(name: str) -> bool:
    return name.startswith(".") and name.endswith(TEMPORARY_SUFFIX)


def remove_leftovers(folder: Path) -> None:
    """Temporary files of all writers of this folder, who must have ended."""
    with suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if is_temporary(entry.name):
                with suppress(OSError):  # gone, or a folder with such a name
                    Path(entry.path).unlink()


def remove_leftovers_of(path: Path, dir_fd: int | None = None) -> None:
    """Temporary files of this one file, whose writers must have ended; others may write beside it."""
    prefix = temporary_prefix(path.name)
    folder = path.parent if dir_fd is None else dir_fd
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):  # noqa: PTH208 - perhaps of a descriptor
            if name.startswith(prefix) and name.endswith(TEMPORARY_SUFFIX):
                with suppress(OSError):  # gone, or a folder with such a name
                    os.unlink(path.with_name(name), dir_fd=dir_fd)


def sync_directory(path: Path) -> None:
    with _opened(path) as folder:
        os.fsync(folder)


def _create(path: Path, mode: int, dir_fd: int | None = None) -> int:
    """A file that was not there before: a link that was put there is not followed."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=dir_fd)


@contextmanager
def _opened(folder: Path, dir_fd: int | None = None) -> Iterator[int]:
    if dir_fd is not None:
        yield dir_fd
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        os.close(opened)
