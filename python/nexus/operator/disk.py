"""Files that are old or new and never a mix, and what the disk refuses, in words."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from uuid import uuid4

from nexus.errors import CorpusWriteError, DiskFullError

FULL = {ENOSPC, EDQUOT, EFBIG}


def replace_file(path: Path, data: bytes, *, mode: int) -> None:
    """On disk when this returns."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(fd, "wb") as file:  # noqa: PTH123 - of a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            message = f"There is no room on the disk that holds {folder}. Nothing was changed: make room, try again."
            raise DiskFullError(message) from error
        raise CorpusWriteError(f"Cannot write below {folder}: {error.strerror or error}.") from error
