"""The files of a job's directory. Two facts decide: is its lock held, and is there an exit file.

Imports little: a job runner is started for every job. Others can write these files, so each value is checked, and a
file that does not pass counts as missing.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from errno import ENOSPC
from typing import Any

from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.untrusted_json import parse_untrusted_json
from nexus.system.file_lock import FileLock

RESERVED_BYTES = 2048  # reserved before a job starts: a full disk must lose neither its start nor its outcome
MAX_PID = 2**31
MAX_TEXT = 300
FIRST_YEAR, LAST_YEAR = 2000, 9000
STOP_REASONS = ("cancelled", "wall_clock_stale")


@dataclass(frozen=True)
class JobStart:
    """Written before the pipeline is started, and again with its pid: without this file nothing has run."""

    runner_pid: int
    runner_identity: str | None
    pid: int | None = None

    @property
    def is_valid(self) -> bool:
        pids = (self.runner_pid, self.pid) if self.pid is not None else (self.runner_pid,)
        return all(_is_number(pid, 1, MAX_PID) for pid in pids) and _is_text(self.runner_identity)


@dataclass(frozen=True)
class JobEnd:
    ended_at: str
    exit_code: int | None = None
    stopped: str | None = None  # the stop reason, if the runner ended it
    spawn_error: str | None = None
    before_start: bool = False

    @property
    def is_valid(self) -> bool:
        texts = _is_text(self.stopped) and _is_text(self.spawn_error) and isinstance(self.before_start, bool)
        return (
            texts and _is_timestamp(self.ended_at) and (self.exit_code is None or _is_number(self.exit_code, -255, 255))
        )


@dataclass(frozen=True)
class JobFiles:
    directory: GuardedPath

    @property
    def lock_file(self) -> GuardedPath:
        return self.directory / "lock"

    @property
    def lock(self) -> FileLock:
        return guarded_lock(self.lock_file)

    @property
    def stop(self) -> GuardedPath:
        """Exists once the job is to stop; holds the stop reason."""
        return self.directory / "stop"

    @property
    def started_file(self) -> GuardedPath:
        return self.directory / "started.json"

    @property
    def exit_file(self) -> GuardedPath:
        return self.directory / "exit.json"

    def started(self) -> JobStart | None:
        with suppress(OSError, ValueError, TypeError):
            found = JobStart(**_read(self.started_file))
            return found if found.is_valid else None
        return None

    def ended(self) -> JobEnd | None:
        with suppress(OSError, ValueError, TypeError):
            found = JobEnd(**_read(self.exit_file))
            return found if found.is_valid else None
        return None

    def stop_reason(self) -> str | None:
        try:
            text = self.stop.read_bytes(RESERVED_BYTES).decode("ascii", "replace")
        except OSError:
            return None
        return text if text in STOP_REASONS else "cancelled"

    def reserve(self) -> None:
        for path in (self.started_file, self.exit_file):
            _write_padded(_unpublished(path), b"")

    def write_started(self, started: JobStart) -> None:
        self._publish(self.started_file, started)

    def write_ended(self, ended: JobEnd) -> None:
        self._publish(self.exit_file, ended)

    def _publish(self, path: GuardedPath, facts: JobStart | JobEnd) -> None:
        """Into the reserved file: its blocks are allocated already."""
        _write_padded(_unpublished(path), json.dumps(asdict(facts)).encode())
        _unpublished(path).rename_to(path)
        path.sync_parent()


def guarded_lock(path: GuardedPath) -> FileLock:
    return FileLock(path.path, lambda: path.open(os.O_RDWR | os.O_CREAT))


def _read(path: GuardedPath) -> dict[str, Any]:
    found = parse_untrusted_json(path.read_bytes(2 * RESERVED_BYTES))
    if not isinstance(found, dict):
        raise TypeError("not a record")
    return found


def _is_number(value: object, smallest: int, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and smallest <= value <= largest


def _is_text(value: object) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= MAX_TEXT)


def _is_timestamp(value: object) -> bool:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return False
    return moment is not None and moment.tzinfo is not None and FIRST_YEAR < moment.year < LAST_YEAR


def _unpublished(path: GuardedPath) -> GuardedPath:
    return path.with_name(f".{path.name}")


def _write_padded(path: GuardedPath, text: bytes) -> None:
    data = text.ljust(RESERVED_BYTES)
    fd = path.open(os.O_WRONLY | os.O_CREAT)
    try:
        if os.pwrite(fd, data, 0) != len(data):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        os.fsync(fd)
    finally:
        os.close(fd)
