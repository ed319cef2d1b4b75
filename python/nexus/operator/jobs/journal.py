"""An append-only file of JSON lines that survives kill -9, a full disk and two writers.

Writers hold the registry's lock. Readers need no lock: they use only complete lines. Each file begins with a line of
its own, so that a file that replaced another one is not taken for its continuation (inode numbers are reused).
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from errno import EFBIG, ENOSPC
from uuid import uuid4

from nexus.operator.guarded_path import GuardedPath

HEAD = b'{"journal":"'
HEAD_LENGTH = len(HEAD) + 32 + len(b'"}\n')
# A torn line was never acknowledged. Made unreadable, or one that lacks only its newline would count later.
TORN = b" #torn\n"
MAX_BYTES = 256 * 1024 * 1024  # a hundred times what ten thousand jobs take; a larger file was not written by us


@dataclass
class NewLines:
    lines: list[bytes]
    is_other_file: bool
    head: bytes
    end: int


class Journal:
    def __init__(self, path: GuardedPath) -> None:
        self.path = path
        self._head = b""
        self._offset = 0

    def read_new(self) -> NewLines:
        """The whole lines that were not accepted yet; all of them if this is another file than before."""
        try:
            with self.path.open_binary() as file:
                head = file.read(HEAD_LENGTH)
                size = os.fstat(file.fileno()).st_size
                if size > MAX_BYTES:
                    raise OSError(EFBIG, os.strerror(EFBIG), str(self.path))
                same = head == self._head and size >= self._offset
                start = self._offset if same else 0
                file.seek(start)
                found = file.read(MAX_BYTES) if size > start else b""
        except FileNotFoundError:
            same, head, start, found = not self._head, b"", 0, b""
        end = found.rfind(b"\n") + 1
        lines = [line for line in found[:end].splitlines() if line and not line.startswith(HEAD)]
        return NewLines(lines, not same, head, start + end)

    def accept(self, new_lines: NewLines) -> None:
        """These lines are applied and not read again; without this call the next read returns them again."""
        self._head, self._offset = new_lines.head, new_lines.end

    def append(self, line: bytes) -> None:
        """One write, on disk when this returns. OSError: it does not count, whatever part of it was written."""
        fd = self.path.open(os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            size = os.fstat(fd).st_size
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            data = (_new_head() if size == 0 else TORN if torn else b"") + line + b"\n"
            if os.write(fd, data) != len(data):
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            os.fdatasync(fd)
        finally:
            os.close(fd)
        if size == 0:
            self.path.sync_parent()

    def replace(self, lines: Iterable[bytes]) -> None:
        self.path.replace_with(_new_head() + b"".join(line + b"\n" for line in lines))


def _new_head() -> bytes:
    return HEAD + uuid4().hex.encode() + b'"}\n'
