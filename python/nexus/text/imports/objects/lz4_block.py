"""Firefox's `.jsonlz4`: eight bytes, the size, and one LZ4 block.

Forty lines instead of a dependency: a file has a few megabytes and is read once. Memory is bounded by the window of the
format; the usual libraries would need a buffer for the whole block.
"""

from collections.abc import Iterator
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO

from nexus.errors import UnreadableDocumentError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC = b"mozLz40\0"
WINDOW = 1 << 16
CHUNK_BYTES = 1 << 17
MAX_SIZE = 1 << 30
LONG_LITERALS, LONG_MATCH, MIN_MATCH, MORE = 15, 15, 4, 255


class InflatedLz4(RawIOBase):
    """The JSON, as a file."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._chunks = _inflate(file, name)
        self._chunk = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._chunk:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._chunk = memoryview(chunk)
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._chunk))
        view[:count] = self._chunk[:count]
        self._chunk = self._chunk[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def _inflate(file: BinaryIO, name: str) -> Iterator[bytes]:
    damaged = UnreadableDocumentError(f"{name} is damaged or was not downloaded completely.")
    if file.read(len(MAGIC)) != MAGIC:
        raise damaged
    left = int.from_bytes(file.read(4), "little")
    if left > MAX_SIZE:
        raise UnreadableDocumentError(f"{name} would become too large when it is unpacked.")
    out = bytearray()  # what matches refer to, and what was not yet passed on
    passed = 0
    while token := file.read(1):
        for added in _sequence(file, token[0], out):
            left -= added
            if added <= 0 or left < 0:
                raise damaged
            if len(out) > CHUNK_BYTES:
                yield bytes(out[passed:])
                del out[:-WINDOW]
                passed = len(out)
    yield bytes(out[passed:])
    if left:
        raise damaged


def _sequence(file: BinaryIO, token: int, out: bytearray) -> Iterator[int]:
    """Literals and a match are appended, in chunks. Yields how much that was; 0 where the block is damaged."""
    count = _length(file, token >> 4, LONG_LITERALS)
    while count:
        literals = file.read(min(count, WINDOW))
        out += literals
        count -= len(literals)
        yield len(literals)
    low_high = file.read(2)
    if not low_high:
        return  # the last sequence has no match
    offset = int.from_bytes(low_high, "little")
    if not 0 < offset <= len(out):
        yield 0
        return
    count = _length(file, token & LONG_MATCH, LONG_MATCH) + MIN_MATCH
    repeated = bytes(out[-offset:]) * (WINDOW // offset + 1)
    while count:
        match = repeated[:count]
        out += match
        count -= len(match)
        yield len(match)


def _length(file: BinaryIO, length: int, is_long: int) -> int:
    if length == is_long:
        while byte := file.read(1):
            length += byte[0]
            if byte[0] != MORE or length > MAX_SIZE:
                break
    return length
