"""What a job's directory says. Two facts decide: is its lock held, and is there an exit file.

Shared with the job runner, which is started anew for every job: it imports little.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

EXIT_ROOM = 2048  # reserved before the job starts, so that a full disk cannot swallow its outcome


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

    def write_started(self, started: Started) -> None:
        self._publish(self.started_file, json.dumps(asdict(started)).encode())

    def reserve_exit(self) -> None:
        self._write(self._unpublished_exit, b" " * EXIT_ROOM)

    def write_ended(self, ended: Ended) -> None:
        """Over the reserved room: the blocks are there already."""
        text = json.dumps(asdict(ended)).encode()
        fd = os.open(self._unpublished_exit, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(fd, text.ljust(EXIT_ROOM), 0)
            os.fsync(fd)
        finally:
            os.close(fd)
        self._unpublished_exit.replace(self.exit_file)
        self._sync_directory()

    @property
    def _unpublished_exit(self) -> Path:
        return self.directory / ".exit.json"

    def _publish(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f".{path.name}")
        self._write(temporary, data)
        temporary.replace(path)
        self._sync_directory()

    def _write(self, path: Path, data: bytes) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)

    def _sync_directory(self) -> None:
        fd = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
