"""The files of an export, whether they were given one by one or in a ZIP file."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast
from zipfile import ZipFile, ZipInfo

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.disk_space import DiskSpace
from nexus.text.imports.encodings import SAMPLE_BYTES, ExportText, encoding_of, is_binary
from nexus.text.imports.records import ImportProblem
from nexus.text.imports.zip_files import (
    BROKEN,
    ZIP_STARTS,
    InflatedBudget,
    is_office_or_book,
    member_path,
    members,
    open_zip,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BEGINNING_CHARS = 1 << 16
MAX_INNER_ZIP_BYTES = 1 << 30


class OpenFile(Protocol):
    def __call__(self) -> BinaryIO: ...


class Document:
    """One file. `name` is what the user sees, `path` is where it is in its ZIP file. `is_alone`: nothing else was
    given; a text or a page is saved as such then, and not imported."""

    def __init__(
        self, name: str, path: str, size: int, open_file: OpenFile, *, in_zip: bool, is_alone: bool = False
    ) -> None:
        self.name = name
        self.path = path
        self.size = size
        self.in_zip = in_zip
        self.is_alone = is_alone
        self.base_name = PurePosixPath(path).name.lower()
        self.damage: UnreadableDocumentError | None = None  # that not even the beginning can be read
        self._open_file = open_file

    def open_bytes(self) -> BinaryIO:
        """Reading raises UnreadableDocumentError where the file is damaged."""
        try:
            return BufferedReader(_DamageReportingFile(self.name, self._open_file()), SAMPLE_BYTES)
        except BROKEN as error:
            raise _unreadable(self.name) from error

    def open_text(self) -> ExportText:
        return ExportText(self.open_bytes(), self._encoding)

    def read_text(self, max_chars: int) -> str:
        """The whole text of a small file."""
        with self.open_text() as file:
            text = file.read(max_chars + 1)
        if len(text) > max_chars:
            raise UnreadableDocumentError(f"{self.name} is too large to be read.")
        return text

    @property
    def first_bytes(self) -> bytes:
        return _first_bytes(self)

    @property
    def beginning(self) -> str:
        """The first characters, without a byte order mark and leading blanks; empty where the file is no text or
        damaged from its start."""
        return _beginning(self)

    @cached_property
    def _encoding(self) -> str:
        return encoding_of(self.first_bytes)


# Only for the documents that were looked at last: an export may have 200 000 of them.
@lru_cache(maxsize=32)
def _first_bytes(document: Document) -> bytes:
    try:
        with document.open_bytes() as file:
            return file.read(SAMPLE_BYTES)
    except UnreadableDocumentError as error:
        document.damage = error
        return b""


@lru_cache(maxsize=32)
def _beginning(document: Document) -> str:
    if is_binary(document.first_bytes):
        return ""
    try:
        with document.open_text() as file:
            return file.read(BEGINNING_CHARS).lstrip("\ufeff \t\r\n\f\v")
    except UnreadableDocumentError as error:
        document.damage = error
        return ""


class UploadedFiles:
    """All files of an upload. `problems`: of the files that cannot be read at all."""

    def __init__(self, documents: Sequence[Document], problems: Sequence[ImportProblem] = ()) -> None:
        self.documents = tuple(documents)
        self.problems = tuple(problems)

    def find(self, pattern: str) -> list[Document]:
        """By base name, in lower case: `part_*.csv`."""
        return [document for document in self.documents if fnmatchcase(document.base_name, pattern)]

    def without(self, documents: Iterable[Document]) -> "UploadedFiles":
        gone = set(documents)
        return UploadedFiles([document for document in self.documents if document not in gone], self.problems)


class UploadOpener:
    """Opens the files of an upload, and ZIP files among them, as long as the context lasts."""

    def __init__(self, files: Sequence[tuple[str, Path]], scratch: Path, space: DiskSpace | None = None) -> None:
        """`scratch`: a folder for a ZIP file inside of a ZIP file, as a file without a name."""
        self._files = files
        self._space = space or DiskSpace(scratch)
        self._scratch = scratch
        self._stack = ExitStack()
        self._budget = InflatedBudget()
        self._problems: list[ImportProblem] = []

    def __enter__(self) -> UploadedFiles:
        with ExitStack() as failed:
            failed.callback(self._stack.close)
            documents = [document for name, path in self._files for document in self._open_given(name, path)]
            failed.pop_all()
        return UploadedFiles(documents, self._problems)

    def __exit__(self, *_: object) -> None:
        _first_bytes.cache_clear()
        _beginning.cache_clear()
        self._stack.close()

    def _open_given(self, name: str, path: Path) -> Iterator[Document]:
        shown = _displayable_name(name)
        size, is_alone = path.stat().st_size, len(self._files) == 1
        document = Document(shown, shown, size, lambda: path.open("rb"), in_zip=False, is_alone=is_alone)
        if not document.first_bytes.startswith(ZIP_STARTS):
            yield document
            return
        try:
            archive = open_zip(self._stack.enter_context(path.open("rb")), shown)
        except UnreadableDocumentError as error:
            self._problems.append(ImportProblem(shown, 1, error.code, error.message))
            return
        if is_office_or_book(archive):
            archive.close()
            yield document
        else:
            yield from self._inside(archive, shown, shown, depth=1)

    def _inside(self, archive: ZipFile, name: str, prefix: str, *, depth: int) -> Iterator[Document]:
        self._stack.enter_context(archive)
        for member in members(archive, name, self._budget):
            if isinstance(member, ImportProblem):
                self._problems.append(member)
                continue
            path = _displayable_name(member_path(member))
            document = Document(f"{prefix}/{path}", path, member.file_size, _Member(archive, member), in_zip=True)
            if document.base_name.endswith(".zip"):
                yield from self._inner_zip(document, depth)
            else:
                yield document

    def _inner_zip(self, document: Document, depth: int) -> Iterator[Document]:
        try:
            archive = self._open_inner(document, depth)
        except UnreadableDocumentError as error:
            self._problems.append(ImportProblem(document.name, 1, error.code, error.message))
            return
        yield from self._inside(archive, document.name, document.name, depth=depth + 1)

    def _open_inner(self, document: Document, depth: int) -> ZipFile:
        name = document.name
        if depth > 1:
            raise UnreadableDocumentError(f"{name} is a ZIP file inside two others. It was not read.")
        if document.size > MAX_INNER_ZIP_BYTES:
            raise UnreadableDocumentError(f"{name} is too large. Unpack the ZIP file that it is in.")
        # Going back in a compressed member would inflate it from its start, again and again.
        self._space.take(document.size)
        copy = cast("BinaryIO", tempfile.TemporaryFile(dir=self._scratch))  # noqa: SIM115 - the stack closes it
        self._stack.enter_context(copy)
        with document.open_bytes() as file:
            shutil.copyfileobj(file, copy)
        return open_zip(copy, name)


class _Member:
    def __init__(self, archive: ZipFile, member: ZipInfo) -> None:
        self._archive = archive
        self._member = member

    def __call__(self) -> BinaryIO:
        return cast("BinaryIO", self._archive.open(self._member))


class _DamageReportingFile(RawIOBase):
    """A file whose damage is our error, whichever of a dozen errors `zipfile` and `zlib` raise for it."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name = name
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        try:
            data = self._file.read(len(view))
        except BROKEN as error:
            raise _unreadable(self._name) from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _unreadable(name: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(f"{name} is damaged or was not downloaded completely.")


def _displayable_name(name: str) -> str:
    """One line that can be shown and stored."""
    return "".join(char if char.isprintable() else "\ufffd" for char in name)[:500] or "file"
