"""A job's log: at most as large as its limit, without secrets; its end is kept."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress

from nexus.errors.url_secrets import hide_url_secrets_in_bytes
from nexus.operator.guarded_path import GuardedPath

MAX_LINE = 64 * 1024
HIDDEN = b"[hidden]"
MIN_SECRET = 6  # hiding shorter values would make the log unreadable
DROPPED = re.compile(rb"\[nexus: the first (\d+) bytes of this log were dropped\]\n")


class CappedLog:
    """The pipeline's output. A full disk costs lines, never the job."""

    def __init__(self, path: GuardedPath, limit: int, secrets: Iterable[str]) -> None:
        self._path = path
        self._limit = limit
        self._secrets = [value.encode() for value in secrets if len(value) >= MIN_SECRET]
        self._rest = b""
        self._fd = self._open()
        self._size = os.fstat(self._fd).st_size

    def write(self, chunk: bytes) -> None:
        """Whole lines only: a secret may be split between two chunks."""
        data = self._rest + chunk
        end = data.rfind(b"\n") + 1
        if not end and len(data) > MAX_LINE:
            end = len(data)
        self._rest = data[end:]
        self._put(data[:end])

    def note(self, sentence: str) -> None:
        self._put(f"[nexus: {sentence}]\n".encode())

    def close(self) -> None:
        self._put(self._rest)
        self._rest = b""
        with suppress(OSError):
            os.fsync(self._fd)
        os.close(self._fd)

    def _put(self, data: bytes) -> None:
        for secret in self._secrets:
            data = data.replace(secret, HIDDEN)
        data = hide_url_secrets_in_bytes(data)
        with suppress(OSError):
            while data:
                written = os.write(self._fd, data)
                self._size += written
                data = data[written:]
            if self._limit and self._size > self._limit:
                self._drop_the_beginning()

    def _drop_the_beginning(self) -> None:
        text = self._path.read_bytes(2 * self._limit + 2 * MAX_LINE)
        before, start = dropped_bytes(text[:200])
        kept = text[max(start, len(text) - self._limit // 2) :]
        kept = kept[kept.find(b"\n") + 1 :]
        gone = before + len(text) - start - len(kept)
        self._path.replace_with(b"[nexus: the first %d bytes of this log were dropped]\n" % gone + kept)
        os.close(self._fd)
        self._fd = self._open()
        self._size = os.fstat(self._fd).st_size

    def _open(self) -> int:
        return self._path.open(os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def dropped_bytes(beginning: bytes) -> tuple[int, int]:
    """How much was dropped before this text, and where in it the log goes on."""
    found = DROPPED.match(beginning)
    return (int(found[1]), found.end()) if found else (0, 0)
