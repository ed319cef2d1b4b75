"""Reading a job's log while it grows, also after its beginning was dropped. Positions count from its first byte."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from nexus.errors import NotFoundError
from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.capped_log import dropped_bytes

HEAD = 200
CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True)
class LogChunk:
    text: str
    position: int  # where the next chunk begins


@dataclass(frozen=True)
class Tail:
    text: str
    truncated: bool


def read_from(path: GuardedPath, position: int, limit: int = CHUNK_BYTES) -> LogChunk:
    """What was written after this position, up to a limit and never half a character."""
    try:
        with path.open_binary() as file:
            dropped, start = dropped_bytes(file.read(HEAD))
            file.seek(start + max(position - dropped, 0))
            data = file.read(limit)
    except OSError:
        return LogChunk("", position)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data)
    return LogChunk(text, max(position, dropped) + len(data) - len(decoder.getstate()[0]))


def read_tail(path: GuardedPath, max_bytes: int) -> Tail:
    """The last bytes, beginning with a whole line."""
    try:
        with path.open_binary() as file:
            size = file.seek(0, 2)
            file.seek(max(size - max_bytes, 0))
            data = file.read(max_bytes)
    except OSError:
        raise NotFoundError("This job has no log yet.") from None
    if size > max_bytes:
        data = data[data.find(b"\n") + 1 :]
    return Tail(data.decode("utf-8", "replace"), size > max_bytes)


def position_before_end(path: GuardedPath, before_end: int) -> int:
    """The position that many bytes before the end of what is there now."""
    try:
        with path.open_binary() as file:
            dropped, start = dropped_bytes(file.read(HEAD))
            size = file.seek(0, 2)
    except OSError:
        return 0
    return dropped + max(size - start - before_end, 0)


def log_chunks(path: GuardedPath) -> Iterator[bytes]:
    """The log as it is now, in chunks, without what is written meanwhile."""
    try:
        file = path.open_binary()
    except OSError:
        raise NotFoundError("This job has no log yet.") from None

    def chunks() -> Iterator[bytes]:
        with file:
            left = file.seek(0, 2)
            file.seek(0)
            while left and (data := file.read(min(left, CHUNK_BYTES))):
                left -= len(data)
                yield data

    return chunks()
