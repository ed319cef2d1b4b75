"""Members of a ZIP, dated as what they hold."""

import shutil
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

FIRST_YEAR = 1980  # a ZIP knows no earlier ones, and none after LAST_YEAR
LAST_YEAR = 2107
CHUNK_BYTES = 1 << 20


# What the directory at the end of a ZIP says of a member.
FACTS = (
    "compress_type", "flag_bits", "CRC", "compress_size", "file_size", "header_offset", "external_attr",
    "create_system", "create_version", "extract_version",
)  # fmt: skip


class GrowingZip(ZipFile):
    """A new one, or one that was interrupted: its members are in the file up to its position, and its directory, which
    is written at the end, is made of what is known of them."""

    def __init__(self, file: BinaryIO, members: Iterable[Sequence[Any]] = ()) -> None:
        super().__init__(file, "w")
        for name, moment, *facts in members:
            info = ZipInfo(name, tuple(moment))
            for fact, value in zip(FACTS, facts, strict=True):
                setattr(info, fact, value)
            self.filelist.append(info)
            self.NameToInfo[info.filename] = info
        self._told = len(self.filelist)

    def new_members(self) -> list[list[Any]]:
        """Those that were added since this was last asked for, as JSON has them."""
        new, self._told = self.filelist[self._told :], len(self.filelist)
        return [[each.filename, each.date_time, *(getattr(each, fact) for fact in FACTS)] for each in new]


def add_bytes(archive: ZipFile, name: str, moment: datetime, data: bytes, *, compress: bool = True) -> None:
    archive.writestr(_info(name, moment, compress=compress), data)


def add_file(archive: ZipFile, name: str, moment: datetime, file: BinaryIO, *, compress: bool = True) -> None:
    """From its beginning; it may be larger than memory."""
    size = file.seek(0, 2)
    file.seek(0)
    info = _info(name, moment, compress=compress)
    info.file_size = size  # by which a large one is written as such
    with archive.open(info, "w") as member:
        shutil.copyfileobj(file, member, CHUNK_BYTES)


def _info(name: str, moment: datetime, *, compress: bool) -> ZipInfo:
    at = moment.astimezone(UTC)
    year = min(max(at.year, FIRST_YEAR), LAST_YEAR)
    info = ZipInfo(name, (year, at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = ZIP_DEFLATED if compress else ZIP_STORED
    info.external_attr = 0o644 << 16
    return info
