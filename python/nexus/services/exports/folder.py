"""Exports in a folder of the server: NEXUS_EXPORT_DIR, with a folder for each user.

A file appears only when it is complete. Only files that an export wrote, and that nobody changed since, are removed.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from nexus.errors import DiskFullError, ExportFolderError
from nexus.services.exports.queue import ExportClaim, WrittenFile
from nexus.system.atomic_files import remove_leftovers_of, replacing
from nexus.system.disk_full import DISK_FULL_ERRNOS

NO_FOLDER = "This server has no export folder. Its operator can set NEXUS_EXPORT_DIR."


def write_into_folder(
    root: Path | None,
    claim: ExportClaim,
    filename: str,
    chunks: Iterable[bytes],
    note_target: Callable[[UUID, WrittenFile], None],
) -> WrittenFile:
    """Each export has its own filename, which another attempt uses again. `note_target`: called before the file gets
    it."""
    folder = _folder_of(root, claim.user_id)
    stem, dot, suffix = filename.rpartition(".")
    path = folder / f"{stem}-{claim.format}-{claim.id.hex[:8]}{dot}{suffix}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        remove_leftovers_of(path)  # of a worker that was killed
        with replacing(path, durable=True) as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            found = os.fstat(file.fileno())
            written = WrittenFile(path.name, found.st_size, modified_ns=found.st_mtime_ns)
            note_target(claim.user_id, written)
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            raise DiskFullError(f"There is no room on the disk that holds {folder.parent}.") from error
        raise ExportFolderError(f"Cannot write below {folder.parent}: {error.strerror or error}.") from error
    return written


def remove_from_folder(root: Path | None, user_id: UUID, file: WrittenFile) -> None:
    """No error if the file is gone already. A file with another size or time was changed by somebody else and stays."""
    path = _folder_of(root, user_id) / file.filename
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        if (found.st_size, found.st_mtime_ns) == (file.size, file.modified_ns):
            path.unlink()


def _folder_of(root: Path | None, user_id: UUID) -> Path:
    """The root is never created: if its disk is not mounted, nothing must be written into the empty mount point."""
    if root is None:
        raise ExportFolderError(NO_FOLDER)
    if not root.is_dir():
        raise ExportFolderError(f"The export folder {root} does not exist.")
    return root / str(user_id)
