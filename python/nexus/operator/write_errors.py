"""Turns errors of the disk into errors that an operator can act on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nexus.errors import CorpusWriteError, DiskFullError
from nexus.system.disk_full import DISK_FULL_ERRNOS


@contextmanager
def translate_write_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            message = f"There is no room on the disk that holds {folder}. Nothing was changed: make room, try again."
            raise DiskFullError(message) from error
        raise CorpusWriteError(f"Cannot write below {folder}: {error.strerror or error}.") from error
