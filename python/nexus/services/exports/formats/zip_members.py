"""Members of a ZIP, dated as what they hold."""

import shutil
from datetime import UTC, datetime
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

FIRST_YEAR = 1980  # a ZIP knows no earlier ones, and none after LAST_YEAR
LAST_YEAR = 2107
COPIED_AT_ONCE = 1 << 20


def add_bytes(archive: ZipFile, name: str, moment: datetime, data: bytes, *, compress: bool = True) -> None:
    archive.writestr(_info(name, moment, compress=compress), data)


def add_file(archive: ZipFile, name: str, moment: datetime, file: BinaryIO, *, compress: bool = True) -> None:
    """From its beginning; it may be larger than memory."""
    size = file.seek(0, 2)
    file.seek(0)
    info = _info(name, moment, compress=compress)
    info.file_size = size  # by which a large one is written as such
    with archive.open(info, "w") as member:
        shutil.copyfileobj(file, member, COPIED_AT_ONCE)


def _info(name: str, moment: datetime, *, compress: bool) -> ZipInfo:
    at = moment.astimezone(UTC)
    year = min(max(at.year, FIRST_YEAR), LAST_YEAR)
    info = ZipInfo(name, (year, at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = ZIP_DEFLATED if compress else ZIP_STORED
    info.external_attr = 0o644 << 16
    return info
