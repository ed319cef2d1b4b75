"""How much of a file that is still being written is final."""

import os
from threading import Lock
from typing import BinaryIO


class FileProgress:
    """The thread that writes tells it, another one reads. With a descriptor of its own: the writer may close its file
    at any moment, and the number of a closed one is soon that of another file."""

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
        """Bytes before this position do not change any more; they are flushed."""
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
