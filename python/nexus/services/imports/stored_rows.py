"""The rows of an import before they are in the database: JSON lines, compressed, in a blob of the store."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nexus.errors import DamagedImportFileError
from nexus.text.characters import storable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 3
CHUNK_BYTES = 1 << 20
# Longer than any row that a reader writes; only damaged rows have such lines.
MAX_LINE_BYTES = 128 << 20
WINDOW_LOG_MAX = 23
NUL_ESCAPE = "\\u0000"  # PostgreSQL keeps no NUL


def compress_rows(path: Path) -> Iterator[bytes]:
    compressor = zstd.ZstdCompressor(level=LEVEL)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            if compressed := compressor.compress(chunk):
                yield compressed
    yield compressor.flush()


def read_rows(chunks: Iterable[bytes], *, skip: int) -> Iterator[dict[str, Any]]:
    """As `text/imports/records.py` writes them, in order, without the first `skip`."""
    for number, line in enumerate(_lines(_decompressed(chunks))):
        if number >= skip:
            yield _read(line)


def _decompressed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """No more than a chunk at a time, however well it was compressed."""
    decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG_MAX})
    try:
        for chunk in chunks:
            given = chunk
            while not decompressor.eof and (given or not decompressor.needs_input):
                yield decompressor.decompress(given, max_length=CHUNK_BYTES)
                given = b""
    except zstd.ZstdError as error:
        raise _damaged() from error
    if not decompressor.eof:
        raise _damaged()


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    begun: list[bytes] = []
    size = 0
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*begun, line])
            begun, size = [], 0
        begun.append(rest)
        size += len(rest)
        if size > MAX_LINE_BYTES:
            raise _damaged()
    if last := b"".join(begun):
        yield last


def _read(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode()
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged() from error
    if not isinstance(row, dict):
        raise _damaged()
    return _storable(row) if NUL_ESCAPE in text else row


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {name: _storable(each) for name, each in value.items()}
    return value


def _damaged() -> DamagedImportFileError:
    return DamagedImportFileError("The stored copy of the uploaded files is damaged. Upload them again.")
