"""Limits what may be written while an export is read: an upload of 1 GB can be 16 GB when it is decompressed."""

import os
from pathlib import Path

from nexus.errors import DiskFullError

CHECK_BYTES = 16 << 20


class DiskSpace:
    """`reserve`: so many bytes of the disk stay free, since the database is usually on the same one."""

    def __init__(self, folder: Path, reserve: int = 0) -> None:
        self._folder = folder
        self._reserve = reserve
        self._unchecked = CHECK_BYTES

    def take(self, size: int) -> None:
        """Before so many bytes are written. Looks at the disk now and then."""
        self._unchecked += size
        if self._unchecked < CHECK_BYTES:
            return
        free = os.statvfs(self._folder)
        if free.f_bavail * free.f_frsize - self._unchecked < self._reserve:
            raise DiskFullError("There is no room on the server's disk to read these files. Nothing was changed.")
        self._unchecked = 0
