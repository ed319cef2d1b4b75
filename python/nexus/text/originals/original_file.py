"""The original of a text: the bytes that were read, compressed, with all that reading them again needs.

It is a zstd file: a frame that decoders skip holds what is known of the bytes, as JSON; the frame after it holds them.
`zstd -d` restores them. The same bytes from the same address give the same file, so a store keeps one copy.
"""

import json
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from nexus.errors import DamagedOriginalError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Measured with 600 pages of 180 kB on average: level 3 makes 34 kB of one in 2 ms, level 9 makes 31 kB in 9 ms.
LEVEL = 3
CHUNK_BYTES = 65_536
MAX_FACTS_BYTES = 16_777_215
WINDOW_LOG_MAX = 23  # 8 MiB; level 3 uses 2 MiB
_SKIPPABLE = 0x184D2A5E
_HEADER = struct.Struct("<II")

OriginalKind = Literal["fetched", "rendered", "captured", "transcript"]
# Why there is no original: larger than one may be; every user of the media has as much as they may have; too much
# waits for a store that cannot be written.
Missing = Literal["too_large", "user_full", "waiting_full"]


@dataclass(frozen=True)
class OriginalFacts:
    """What `read_page` or `read_transcript` is called with besides the bytes."""

    how: OriginalKind  # by this name in the files
    url: str | None = None
    base_url: str | None = None  # of a rendered page, by the browser
    content_type: str | None = None
    status: int | None = None
    # For a transcript: its format, the one that the feed declared, how long a pause begins a paragraph, and the show
    # notes, which follow it.
    format: str | None = None
    declared: str | None = None
    pause_ms: int | None = None
    notes_html: str | None = None


@dataclass(frozen=True)
class Original:
    """The packed original, or why there is none."""

    content: bytes | None
    missing: Missing | None = None


def keep_original(data: bytes, facts: OriginalFacts, max_bytes: int) -> Original | None:
    """With `max_bytes` of 0 nothing is kept, and nothing is missing either."""
    if not max_bytes:
        return None
    return Original(None, "too_large") if len(data) > max_bytes else Original(pack(data, facts))


def pack(data: bytes, facts: OriginalFacts) -> bytes:
    known = {name: value for name, value in asdict(facts).items() if value is not None}
    about = json.dumps(known, sort_keys=True, separators=(",", ":")).encode()
    if len(about) > MAX_FACTS_BYTES:
        raise ValueError("more is known of an original than fits into it")
    return _HEADER.pack(_SKIPPABLE, len(about)) + about + zstd.compress(data, LEVEL)


def unpack(chunks: Iterable[bytes]) -> tuple[OriginalFacts, Iterator[bytes]]:
    """The facts, and the bytes in chunks of at most CHUNK_BYTES. Whatever is no such file is a DamagedOriginalError."""
    source = iter(chunks)
    start = _take(source, b"", _HEADER.size)
    magic, size = _HEADER.unpack(start[: _HEADER.size])
    if magic != _SKIPPABLE or size > MAX_FACTS_BYTES:
        raise DamagedOriginalError("This is not the file of an original.")
    start = _take(source, start[_HEADER.size :], size)
    try:
        facts = OriginalFacts(**json.loads(start[:size]))
    except (ValueError, TypeError, RecursionError):
        raise DamagedOriginalError("The metadata of the original cannot be read.") from None
    return facts, _decompress(start[size:], source)


def _take(source: Iterator[bytes], begin: bytes, size: int) -> bytes:
    """At least so many bytes: `begin` and what follows it."""
    parts, length = [begin], len(begin)
    while length < size:
        try:
            parts.append(next(source))
        except StopIteration:
            raise DamagedOriginalError("The original ends too early.") from None
        length += len(parts[-1])
    return b"".join(parts)


def _decompress(begin: bytes, source: Iterator[bytes]) -> Iterator[bytes]:
    decoder = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG_MAX})
    waiting = begin
    try:
        while not decoder.eof:
            if decoder.needs_input and not waiting:
                waiting = _take(source, b"", 1)
            chunk = decoder.decompress(waiting, CHUNK_BYTES)
            waiting = b""
            if chunk:
                yield chunk
    except zstd.ZstdError:
        raise DamagedOriginalError("The original cannot be decompressed.") from None
    for _ in source:  # to its end, where the store has compared the hash
        pass
