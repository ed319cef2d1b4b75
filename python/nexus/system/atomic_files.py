"""What the disk refuses, in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path

from nexus.errors import CorpusWriteError, DiskFullError

FULL = {ENOSPC, EDQUOT, EFBIG}


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            message = f"There is no room on the disk that holds {folder}. Nothing was changed: make room, try again."
            raise DiskFullError(message) from error
        raise CorpusWriteError(f"Cannot write below {folder}: {error.strerror or error}.") from error
