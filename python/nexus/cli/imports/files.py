"""The files that the command line names, opened one after the other while they are sent."""

import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from nexus.errors import UnreadableInputError
from nexus.http.uploads import MAX_FILES


class FileToSend:
    """Opened when it is read and closed at its end: a folder may have more files than may be open at once."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path
        self._file: io.BufferedReader | None = None
        try:
            self._size = path.stat().st_size
            with path.open("rb"):
                pass
        except OSError as error:
            raise UnreadableInputError(f"{path}: {error.strerror}.") from error

    def read(self, size: int = -1) -> bytes:
        if self._file is None:
            self._file = self._path.open("rb")
        data = self._file.read(size)
        if not data:
            self.close()
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """To the beginning, to be sent again; to the end, for its length."""
        self.close()
        return self._size if whence == os.SEEK_END else offset

    def tell(self) -> int:
        return 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def found_files(given: Sequence[Path]) -> list[FileToSend]:
    found = [file for path in given for file in _files_in(path)]
    if not found:
        raise UnreadableInputError(f"There is no file in {', '.join(map(str, given))}.")
    if len(found) > MAX_FILES:
        raise UnreadableInputError(
            f"{len(found)} files were given, and at most {MAX_FILES} can be sent. Put them into a ZIP."
        )
    return found


def _files_in(path: Path) -> Iterator[FileToSend]:
    if not path.is_dir():
        yield FileToSend(path, path.name)
        return
    top = path.resolve()
    for file in sorted(each for each in top.rglob("*") if each.is_file()):
        inner = file.relative_to(top)
        if not any(part.startswith(".") for part in inner.parts):  # .git, .obsidian, .DS_Store
            yield FileToSend(file, f"{top.name}/{inner.as_posix()}")
