"""What formats with texts and pictures need of their worker."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from nexus.services.downloads.picture_files import ReadPicture
from nexus.text.process_pool import ProcessPool


@dataclass(frozen=True)
class FormatTools:
    """`pool`: converts texts in child processes; `scratch`: a folder for files without a name."""

    pool: ProcessPool
    read_picture: ReadPicture
    scratch: Path

    def file(self) -> BinaryIO:
        return cast("BinaryIO", tempfile.TemporaryFile(dir=self.scratch))
