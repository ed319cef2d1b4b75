"""What a job's directory says. Two facts decide: is its lock held, and is there an exit file.

Shared with the job runner, which is started anew for every job: it imports little.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from errno import ENOSPC
from pathlib import Path

ROOM = 2048  # reserved before a job starts, so that a full disk can swallow neither its start nor its outcome


@dataclass(frozen=True)
class Started:
    """Written before the pipeline is started, and again with its pid: without this file nothing ever ran."""

    runner_pid: int
    runner_identity: str | None
    pid: int | None = None


@dataclass(frozen=True)
class Ended:
    ended_at: str
    exit_code: int | None = None
    stopped: str | None = None  # the stop reason, if it was the runner that ended it
    spawn_error: str | None = None
    before_start: bool = False


@dataclass(frozen=True)
class JobFiles:
    directory: Path

    @property
    def lock(self) -> Path:
        return self.directory / "lock"

    @property
    def stop(self) -> Path:
        """Exists when the job shall end; its text is the stop reason."""
        return self.directory / "stop"

    @property
    def started_file(self) -> Path:
        return self.directory / "started.json"

    @property
    def exit_file(self) -> Path:
        return self.directory / "exit.json"

    def started(self) -> Started | None:
        with suppress(OSError, ValueError, TypeError):
            return Started(**json.loads(self.started_file.read_bytes()))
        return None

    def ended(self) -> Ended | None:
        with suppress(OSError, ValueError, TypeError):
            return Ended(**json.loads(self.exit_file.read_bytes()))
        return None

    def stop_reason(self) -> str | None:
        with suppress(FileNotFoundError):
            return self.stop.read_text() or "cancelled"
        return None

    def reserve(self) -> None:
        for path in (self.started_file, self.exit_file):
            _fill(_unpublished(path), b"")

    def write_started(self, started: Started) -> None:
        self._publish(self.started_file, started)

    def write_ended(self, ended: Ended) -> None:
        self._publish(self.exit_file, ended)

    def _publish(self, path: Path, facts: Started | Ended) -> None:
        """Over the reserved room: the blocks are there already."""
        _fill(_unpublished(path), json.dumps(asdict(facts)).encode())
        _unpublished(path).replace(path)
        fd = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _unpublished(path: Path) -> Path:
    return path.with_name(f".{path.name}")


def _fill(path: Path, text: bytes) -> None:
    data = text.ljust(ROOM)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.pwrite(fd, data, 0) != len(data):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        os.fsync(fd)
    finally:
        os.close(fd)
