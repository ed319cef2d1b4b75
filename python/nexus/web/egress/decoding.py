"""Decodes Content-Encoding in small chunks, so that a limit on bytes also limits memory."""

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import brotli

from nexus.errors import ConnectionFailedError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK_BYTES = 65_536
ZLIB_HEADER = 2
MAX_LAYERS = 3  # servers use up to two; more is a decompression bomb
ACCEPTED = "gzip, deflate, br, zstd"
# Enough for what servers send; a frame may demand a window of 2 GiB.
ZSTD_WINDOW_LOG_MAX = 23


class Decoder(Protocol):
    def feed(self, data: bytes) -> Iterator[bytes]: ...

    def is_complete(self) -> bool: ...


class Gzip:
    """A gzip body may have several members; bytes after the last one are padding."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._members = 0
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        while data:
            if self._inner.eof:
                self._members += 1
                self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                yield from _inflate(self._inner, data)
            except zlib.error:
                if self._members:
                    return
                raise
            data = self._inner.unused_data

    def is_complete(self) -> bool:
        return self._inner.eof or self._members > 0 or not self._fed


class Deflate:
    """With the zlib header that the standard requires, or without it, as some servers send it."""

    def __init__(self) -> None:
        self._inner: zlib._Decompress | None = None
        self._start = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._start += data
            if len(self._start) < ZLIB_HEADER:
                return
            data = self._start
            with_header = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:ZLIB_HEADER]) % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)
        yield from _inflate(self._inner, data)

    def is_complete(self) -> bool:
        return self._inner.eof if self._inner else not self._start


def _inflate(inner: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    while True:
        chunk = inner.decompress(data, CHUNK_BYTES)
        if chunk:
            yield chunk
        data = inner.unconsumed_tail
        if inner.eof or (len(chunk) < CHUNK_BYTES and not data):
            return


class Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        # The C code may go up to twice the limit.
        chunk = self._inner.process(data, output_buffer_limit=CHUNK_BYTES // 2)
        while chunk:
            yield chunk
            chunk = b"" if self._inner.is_finished() else self._inner.process(b"", output_buffer_limit=CHUNK_BYTES // 2)

    def is_complete(self) -> bool:
        return self._inner.is_finished() or not self._fed


class Zstandard:
    def __init__(self) -> None:
        self._inner = self._new()
        self._fed = False

    def _new(self) -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG_MAX})

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        while data:
            if self._inner.eof:
                self._inner = self._new()
            chunk = self._inner.decompress(data, CHUNK_BYTES)
            while chunk:
                yield chunk
                done = self._inner.eof or self._inner.needs_input
                chunk = b"" if done else self._inner.decompress(b"", CHUNK_BYTES)
            data = self._inner.unused_data if self._inner.eof else b""

    def is_complete(self) -> bool:
        return self._inner.eof or not self._fed


DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstandard,
}


def decoders_for(content_encoding: str) -> Sequence[Decoder]:
    """The decoders, that of the outermost layer first."""
    names = [name for part in content_encoding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    unknown = [name for name in names if name not in DECODERS]
    if unknown or len(names) > MAX_LAYERS:
        raise ConnectionFailedError(
            f"The site compresses its response in a way that is not supported ({', '.join(names)[:80]}).",
            retryable=False,
        )
    return [DECODERS[name]() for name in reversed(names)]


def decoded(chunks: Iterator[bytes], decoders: Sequence[Decoder]) -> Iterator[bytes]:
    """The body in chunks of at most 64 KiB."""
    stream = chunks
    for decoder in decoders:
        stream = _through(decoder, stream)
    for chunk in stream:
        for start in range(0, len(chunk), CHUNK_BYTES):
            yield chunk[start : start + CHUNK_BYTES]


def _through(decoder: Decoder, chunks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        for chunk in chunks:
            yield from decoder.feed(chunk)
    except (zlib.error, brotli.error, zstd.ZstdError) as error:
        raise ConnectionFailedError(f"The compressed response is damaged: {error}.") from error
    if not decoder.is_complete():
        raise ConnectionFailedError("The response ended before it was complete.")
