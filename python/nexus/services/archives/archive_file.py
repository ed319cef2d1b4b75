"""Reads an archive, which is untrusted.

A member is used only after its hash was checked. What is decompressed is bounded by the size of the file, so that a
small file cannot fill a disk or the memory.
"""

import hashlib
import io
import struct
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import IO, NamedTuple, Self
from zipfile import ZipFile, ZipInfo

from nexus.errors import ArchiveError
from nexus.services.archives import layout
from nexus.text.imports.zip_files import BROKEN

# A thousand bytes of memory each, while the archive is open.
MAX_MEMBERS = 500_000
MAX_DIRECTORY_BYTES = 64 << 20
# Texts as JSON lines are deflated to a fifth; the same text again and again to a hundredth.
MAX_LINES_RATIO = 100
# Blobs are not deflated by us; other programs that repack an archive may do it.
MAX_BLOBS_RATIO = 4
SMALL_BYTES = 64 << 20  # that much, whatever the ratio
CHUNK_BYTES = 1 << 20

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")


class Line(NamedTuple):
    """`part`: the name of its member. `number`: of all media lines in the archive, from 1."""

    part: str
    number: int
    content: bytes


class ArchiveFile:
    def __init__(self, given: Path | IO[bytes]) -> None:
        """If `given` is an open file, closing the archive leaves it open."""
        try:
            self._opened = given.open("rb") if isinstance(given, Path) else None
            file = self._opened or given
        except OSError as error:
            raise ArchiveError("The archive cannot be opened.") from error
        try:
            self._open(file)  # type: ignore[arg-type] # a path was opened
        except BaseException:
            if self._opened:
                self._opened.close()
            raise

    def _open(self, file: IO[bytes]) -> None:
        _check_directory(file)
        try:
            self._file = ZipFile(file)
        except BROKEN as error:
            raise ArchiveError(f"The archive cannot be opened: {error}.") from error
        self._infos = {info.filename: info for info in self._file.infolist()}
        self._check_sizes(file.seek(0, 2))
        content = self._read(layout.MANIFEST, layout.MAX_MANIFEST_BYTES)
        self.manifest = layout.read_manifest(content)

    def lines_of(self, name: str) -> Iterator[bytes]:
        """The lines of a member that lists something; none if the archive has no such member."""
        member = self.manifest.member(name)
        if member is not None:
            yield from _lines(self._checked(member))

    def media_lines(self, after: int = 0, only: AbstractSet[int] | None = None) -> Iterator[Line]:
        """The lines after the first `after` ones, or those with these numbers. Other parts are skipped."""
        number = 0
        for part in self.manifest.parts:
            last = number + (part.lines or 0)
            if last <= after or (only is not None and only.isdisjoint(range(number + 1, last + 1))):
                number = last
                continue
            content = self._checked(part)
            if part.lines is not None and part.lines != sum(1 for _ in _lines(content)):
                raise ArchiveError(f"{part.name} of the archive does not have as many lines as the manifest says.")
            for line in _lines(content):
                number += 1
                if number > after and (only is None or number in only):
                    yield Line(part.name, number, line)

    @property
    def count(self) -> int:
        """How many lines with media there are, as the manifest says."""
        return sum(part.lines or 0 for part in self.manifest.parts)

    def blob_size(self, sha256: str) -> int | None:
        info = self._infos.get(layout.blob_name(sha256))
        return None if info is None else info.file_size

    def read_blob(self, sha256: str) -> bytes | None:
        """None: the blob is missing, or its bytes do not have the hash in its name."""
        try:
            content = self._read(layout.blob_name(sha256), self.blob_size(sha256) or 0)
        except ArchiveError:
            return None
        return content if hashlib.sha256(content).hexdigest() == sha256 else None

    def blob_chunks(self, sha256: str) -> Iterator[bytes]:
        """The chunks of a blob that is too large for memory. The hash is checked before the last chunk is passed on."""
        digest, last = hashlib.sha256(), b""
        try:
            with self._file.open(layout.blob_name(sha256)) as member:
                while chunk := member.read(CHUNK_BYTES):
                    if last:
                        yield last
                    digest.update(chunk)
                    last = chunk
        except (KeyError, *BROKEN) as error:
            raise ArchiveError("A file in the archive is damaged.") from error
        if digest.hexdigest() != sha256:
            raise ArchiveError("A file in the archive is damaged.")
        yield last

    def close(self) -> None:
        self._file.close()
        if self._opened:
            self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_sizes(self, size: int) -> None:
        lines = blobs = 0
        for info in self._infos.values():
            if info.filename.startswith(layout.BLOB_FOLDER):
                blobs += info.file_size
            else:
                lines += info.file_size
        if lines > max(SMALL_BYTES, MAX_LINES_RATIO * size) or blobs > max(SMALL_BYTES, MAX_BLOBS_RATIO * size):
            raise ArchiveError("The archive would become far too large when it is unpacked, so it is not read.")

    def _checked(self, member: layout.Member) -> bytes:
        if member.size > layout.MAX_PART_BYTES:
            raise ArchiveError(f"{member.name} of the archive is too large.")
        content = self._read(member.name, member.size)
        if len(content) != member.size or hashlib.sha256(content).hexdigest() != member.sha256:
            raise ArchiveError(
                f"{member.name} of the archive is damaged: its hash differs from the one in the manifest."
            )
        return content

    def _read(self, name: str, limit: int) -> bytes:
        info = self._infos.get(name)
        if info is None:
            raise ArchiveError(f"The archive has no {name}.")
        return _read_member(self._file, info, limit)


def is_archive(path: Path) -> bool:
    """Whether the file claims to be an archive; reading it may still fail."""
    try:
        with ArchiveFile(path):
            return True
    except ArchiveError as error:
        return type(error) is not ArchiveError  # one of a newer Nexus, or with a damaged manifest


def _lines(content: bytes) -> Iterator[bytes]:
    """One line at a time: a list of the lines of a hostile part would take fifty times its bytes."""
    return (line.rstrip(b"\r\n") for line in io.BytesIO(content))


def _read_member(file: ZipFile, info: ZipInfo, limit: int) -> bytes:
    if info.file_size > limit:
        raise ArchiveError(f"{info.filename} of the archive is larger than it may be.")
    try:
        with file.open(info) as member:
            return member.read(limit + 1)
    except BROKEN as error:
        raise ArchiveError(f"{info.filename} of the archive cannot be read: {error}.") from error


def _check_directory(file: IO[bytes]) -> None:
    """Before `zipfile` reads the whole of it into memory."""
    try:
        entries, size = _directory(file)
    except (OSError, struct.error) as error:
        raise ArchiveError("This is not a ZIP file, or its end is missing.") from error
    if entries > MAX_MEMBERS or size > MAX_DIRECTORY_BYTES:
        raise ArchiveError(f"The archive has more than {MAX_MEMBERS} files.")


def _directory(file: IO[bytes]) -> tuple[int, int]:
    """How many entries the directory says it has, and how many bytes."""
    end = file.seek(0, 2)
    begin = max(0, end - _END.size - 65_535)
    file.seek(begin)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise ArchiveError("This is not a ZIP file, or its end is missing.")
    _, _, _, _, entries, size, _, _ = _END.unpack_from(tail, at)
    locator = tail[at - _LOCATOR.size : at] if at >= _LOCATOR.size else b""
    if locator.startswith(b"PK\x06\x07"):
        # Where `zipfile` looks for it, whatever the locator says.
        file.seek(begin + at - _LOCATOR.size - _END64.size)
        record = _END64.unpack(file.read(_END64.size))
        if record[0] == b"PK\x06\x06":
            entries, size = record[7], record[8]
    return entries, size
