"""Ways to kill indexing, and to damage the files of an index."""

import shutil
from pathlib import Path


class KilledError(BaseException):
    """Ends indexing as kill -9 does: nothing catches it, nothing is cleaned up."""


def truncate(index: Path) -> None:
    for file in index.iterdir():
        if not file.name.startswith("."):
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def overwrite(index: Path) -> None:
    for file in index.iterdir():
        if not file.name.startswith("."):
            file.write_bytes(b"something else entirely")


def remove(index: Path) -> None:
    shutil.rmtree(index)


def replace_by_a_file(index: Path) -> None:
    shutil.rmtree(index)
    index.write_text("not a directory")
