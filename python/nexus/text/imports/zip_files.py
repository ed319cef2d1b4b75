"""ZIP files from users: what may be read of them, and a sentence for each member that is left out.

Members are only ever read as streams. Nothing is written under their names.
"""

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.records import ImportProblem

ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
MAX_MEMBERS = 200_000
MAX_DIRECTORY_BYTES = 24 << 20  # all of it is read when a ZIP is opened: 800 MB in memory, where names are short
MAX_INFLATED_BYTES = 16 << 30  # of all members together
# DEFLATE cannot exceed 1032. Text of one kind, such as a long table of equal rows, reaches 50.
MAX_RATIO = 200
RATIO_COUNTS_FROM = 16 << 20
END_RECORD, END_RECORD_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
IS_ENCRYPTED = 0x1
# What the standard library raises over a damaged file; NotImplementedError: compressed in a way that it does not know.
BROKEN = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, struct.error)


@dataclass
class InflatedBudget:
    """How much may still be inflated from the ZIP files of one upload."""

    members: int = MAX_MEMBERS
    inflated: int = MAX_INFLATED_BYTES


def open_zip(file: BinaryIO, name: str) -> ZipFile:
    try:
        if _directory_bytes(file) > MAX_DIRECTORY_BYTES:
            raise UnreadableDocumentError(f"{name} lists too many files to be read.")
        return ZipFile(file)
    except BROKEN as error:
        raise UnreadableDocumentError(
            f"{name} is damaged or was not downloaded completely: its list of files is missing."
        ) from error


def _directory_bytes(file: BinaryIO) -> int:
    """What the end record says, which is what `ZipFile` reads; 0 where there is none."""
    size = file.seek(0, 2)
    file.seek(max(0, size - (1 << 16) - 22 - 20))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(END_RECORD)
    if at < 0 or len(tail) < at + 22:
        return 0
    directory: int = struct.unpack_from("<L", tail, at + 12)[0]
    if at >= 20 and tail[at - 20 : at - 16] == LOCATOR_64:  # noqa: PLR2004
        file.seek(struct.unpack_from("<Q", tail, at - 12)[0])
        record = file.read(56)
        file.seek(0)
        if record[:4] == END_RECORD_64 and len(record) == 56:  # noqa: PLR2004
            directory = struct.unpack_from("<Q", record, 40)[0]
    return directory


def is_office_or_book(archive: ZipFile) -> bool:
    """EPUB, .docx, .odt and .jar are ZIP files too, and no exports."""
    names = set(archive.namelist()[:50])
    return bool(names & {"mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF", "META-INF/container.xml"})


def members(archive: ZipFile, name: str, budget: InflatedBudget) -> Iterator[ZipInfo | ImportProblem]:
    """Those that may be read; a problem for each that may not."""
    seen = set()
    for member in archive.infolist():
        same = (member.filename, member.CRC, member.file_size)
        # A name that begins with a NUL is read as an empty one, which `is_dir` of Python 3.11 cannot take.
        if member.filename.endswith("/") or _is_of_the_system(member) or same in seen:
            continue
        seen.add(same)
        if budget.members == 0:
            yield _problem(name, "too_many_files", f"Only the first {MAX_MEMBERS:,} files in it can be read.")
            return
        budget.members -= 1
        if refused := _refused(member, budget):
            yield _problem(f"{name}/{member_path(member)}", *refused)
            continue
        budget.inflated -= member.file_size
        yield member


def member_path(member: ZipInfo) -> str:
    return member.filename.replace("\\", "/")


def _is_of_the_system(member: ZipInfo) -> bool:
    path = PurePosixPath(member_path(member))
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name in {".DS_Store", "Thumbs.db"}


def _refused(member: ZipInfo, budget: InflatedBudget) -> tuple[str, str] | None:
    path = PurePosixPath(member_path(member))
    if not path.parts:
        return "unsafe_path", "This file has no name in the ZIP file. It was not read."
    if path.is_absolute() or ".." in path.parts or path.parts[0][1:2] == ":":
        return "unsafe_path", "The name of this file points outside the ZIP file. It was not read."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "symbolic_link", "This is a link to another file. It was not followed."
    if member.flag_bits & IS_ENCRYPTED:
        return "encrypted", "This file is protected by a password. Unpack the ZIP file, and import what is in it."
    ratio = member.file_size / max(1, member.compress_size)
    if member.file_size > budget.inflated or (member.file_size > RATIO_COUNTS_FROM and ratio > MAX_RATIO):
        return "too_large", "This file would become too large when it is unpacked. It was not read."
    return None


def _problem(name: str, code: str, message: str) -> ImportProblem:
    return ImportProblem(name, 1, code, message)
