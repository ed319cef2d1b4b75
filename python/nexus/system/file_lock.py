"""A file lock between processes.

The kernel releases a flock when its last holder dies, however it dies. So no lock is ever stale, and no recorded pid
has to be trusted.
"""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self


class FileLock:
    def __init__(self, path: Path, opener: Callable[[], int] | None = None) -> None:
        self.path = path
        self._open = opener or self._open_path
        self._fd: int | None = None

    def acquire(self, *, shared: bool = False, wait: bool = False) -> bool:
        flags = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        fd = self._open()
        try:
            fcntl.flock(fd, flags)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True

    def acquire_within(self, seconds: float) -> bool:
        """Waits, but not for ever: the process that holds it may be frozen."""
        give_up = time.monotonic() + seconds
        while not self.acquire():
            if time.monotonic() > give_up:
                return False
            time.sleep(0.01)
        return True

    def fileno(self) -> int:
        """For a child that shall inherit the lock."""
        if self._fd is None:
            raise ValueError("the lock is not held")
        return self._fd

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def is_free(self, *, shared: bool = False) -> bool:
        probe = FileLock(self.path, self._open)
        free = probe.acquire(shared=shared)
        probe.release()
        return free

    def _open_path(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
