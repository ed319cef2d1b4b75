"""How much of a file that is still being written is final."""

import os
from threading import Lock
from typing import BinaryIO


class FileProgress:
    """Written by one thread and read by another. It duplicates the file descriptor, because the writer may close its
    file at any moment, and the number of a closed descriptor is soon used for another file."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._descriptor: int | None = None
        self._final = 0
        self._is_closed = False

    def opened(self, file: BinaryIO) -> None:
        with self._lock:
            if not self._is_closed:
                self._descriptor = os.dup(file.fileno())

    def advance(self, final: int) -> None:
        """Note that the bytes before this position are flushed and no longer change."""
        with self._lock:
            self._final = final

    def read(self, start: int, size: int) -> bytes:
        with self._lock:
            end = min(start + size, self._final)
            if self._descriptor is None or end <= start:
                return b""
            return os.pread(self._descriptor, end - start, start)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
