"""A text file that several people edit: read with a tag, written whole or not at all, refused if it changed."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from nexus.db.pg_locks import FileLock
from nexus.errors import PreconditionFailedError, RegistryBusyError
from nexus.operator.disk import replace_file, writing_to

LOCK_SECONDS = 30
NEW_FILE_MODE = 0o666  # less the umask: whose it is and who may read it is the operator's business


@dataclass(frozen=True)
class Stored:
    data: bytes

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.data).hexdigest()[:32]}"'


class StoredText:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # a link stays a link: what it points to is replaced

    def read(self) -> Stored:
        """A missing file reads as an empty one."""
        try:
            return Stored(self.path.read_bytes())
        except FileNotFoundError:
            return Stored(b"")

    def write(self, data: bytes, if_match: str | None = None) -> Stored:
        with writing_to(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path.with_name(f".{self.path.name}.lock"))
            if not lock.acquire_within(LOCK_SECONDS):
                raise RegistryBusyError(f"Another process has held {self.path.name} for half a minute; try again.")
            with lock:
                self._check(if_match)
                self._forget_broken_writes()
                replace_file(self.path, data, mode=self._mode())
        return Stored(data)

    def _check(self, if_match: str | None) -> None:
        if if_match is None:
            return
        wanted = {tag.strip() for tag in if_match.split(",")}
        current = self.read().etag
        if current not in wanted and not ("*" in wanted and self.path.exists()):
            message = f"{self.path.name} was changed by somebody else: load it again, then repeat your change."
            raise PreconditionFailedError(message, etag=current)

    def _mode(self) -> int:
        try:
            return self.path.stat().st_mode & 0o777
        except FileNotFoundError:
            return NEW_FILE_MODE

    def _forget_broken_writes(self) -> None:
        """What a writer that was killed left beside the file; nobody else writes now."""
        for leftover in self.path.parent.glob(f".{self.path.name}.*.tmp"):
            leftover.unlink(missing_ok=True)
