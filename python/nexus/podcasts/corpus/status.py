"""``.pipeline_status.json``: the progress of a run, for other processes."""

import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from nexus.podcasts.corpus.files import write_json
from nexus.system.atomic_files import remove_leftovers_of
from nexus.system.file_lock import FileLock

HEARTBEAT_SECONDS = 1.0
OLD_SECONDS = 86_400
MAX_FAILURES = 50  # the file is written every second


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class StatusFile:
    """Written every second by a thread; the heartbeat shows a run that hangs or has ended."""

    def __init__(self, path: Path, own: Path, run_id: str) -> None:
        """``path`` is shared, written by one of the concurrent runs; ``own`` belongs to this run."""
        self._path = path
        self._own = own
        self._shared_lock = FileLock(path.with_suffix(".lock"))
        self._has_shared_lock = False
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.stopped = False
        self._facts: dict[str, Any] = {
            "schema_version": 1,
            "pid": os.getpid(),
            "run_id": run_id,
            "stage": "starting",
            "started_at": timestamp(),
            "feed_idx": 0,
            "feed_total": 0,
            "episode_idx": 0,
            "episode_total": 0,
            "feeds_failed": 0,
            "episodes_failed": 0,
            "failures": [],
        }
        self._thread = threading.Thread(target=self._write_periodically, daemon=True)

    def update(self, **facts: Any) -> None:
        with self._lock:
            self._facts |= facts

    def add(self, **amounts: int) -> None:
        with self._lock:
            for name, amount in amounts.items():
                self._facts[name] += amount

    def failed(self, counter: Literal["feeds_failed", "episodes_failed"], reason: dict[str, Any]) -> None:
        """Counts every failure but lists only the first; the run's summary lists all."""
        with self._lock:
            self._facts[counter] += 1
            if len(self._facts["failures"]) < MAX_FAILURES:
                self._facts["failures"] = [*self._facts["failures"], reason]

    def __enter__(self) -> Self:
        with suppress(OSError):
            self._own.parent.mkdir(exist_ok=True)
            _remove_old(self._own.parent)
        self._write()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.update(stage="stopped" if self.stopped or kind else "done")
        self._ended.set()
        self._thread.join()
        self._write()
        with suppress(OSError):
            self._own.unlink(missing_ok=True)
        self._shared_lock.release()

    def _write_periodically(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            self._write()

    def _write(self) -> None:
        with self._lock:
            document = {**self._facts, "heartbeat": timestamp(), "heartbeat_epoch": round(time.time(), 3)}
        with suppress(OSError):  # a full disk fails the episodes; this file is only informative
            write_json(self._own, document)
            if not self._has_shared_lock and self._shared_lock.acquire():
                self._has_shared_lock = True
                remove_leftovers_of(self._path)  # of a run that was killed
            if self._has_shared_lock:
                write_json(self._path, document)


def _remove_old(folder: Path) -> None:
    """Removes the files of killed runs."""
    for path in folder.iterdir():
        with suppress(OSError):  # removed meanwhile, or not a file
            if time.time() - path.lstat().st_mtime > OLD_SECONDS:
                path.unlink()
