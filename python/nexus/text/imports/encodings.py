"""Text of files that other programs wrote: UTF-8 or UTF-16 with or without a mark, else Windows-1252."""

import codecs
from io import BufferedReader, TextIOWrapper
from typing import BinaryIO, cast

SAMPLE_BYTES = 1 << 16
BINARY_STARTS = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"\x7fELF",
    b"SQLite format 3", b"mozLz40\0", b"bplist00", b"OggS", b"ID3", b"wOFF", b"wOF2", b"7z\xbc\xaf", b"Rar!",
)  # fmt: skip
MAX_CONTROL_SHARE = 0.1
BYTES_NOT_IN_TEXT = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
WINDOWS_1252 = "nexus-windows-1252"


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8 are read as Windows-1252, each by itself: files are mixed by programs and by hand."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(_character(byte) for byte in bad), error.end


def _character(byte: int) -> str:
    # As browsers do: the five bytes that the encoding leaves open are control characters.
    return bytes([byte]).decode("cp1252" if byte not in b"\x81\x8d\x8f\x90\x9d" else "latin-1")


codecs.register_error(WINDOWS_1252, _as_windows_1252)


def is_binary(sample: bytes) -> bool:
    if sample.startswith(BINARY_STARTS):
        return True
    if encoding_of(sample).startswith("utf-16"):
        return False
    return len(sample) - len(sample.translate(None, BYTES_NOT_IN_TEXT)) > MAX_CONTROL_SHARE * len(sample)


def encoding_of(sample: bytes) -> str:
    if sample.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Without a mark: ASCII characters, each beside a NUL. Such a file is not long without one line end or blank.
    first, second = sample[:1024:2], sample[1:1024:2]
    if len(second) > 1 and second.count(0) > 0.6 * len(second) and first.count(0) < 0.1 * len(first):
        return "utf-16-le"
    if len(second) > 1 and first.count(0) > 0.6 * len(first) and second.count(0) < 0.1 * len(second):
        return "utf-16-be"
    return "utf-8"


class ExportText(TextIOWrapper):
    """Line ends as they stand there; without NULs, which no text can have and PostgreSQL refuses."""

    def __init__(self, raw: BinaryIO, encoding: str) -> None:
        errors = WINDOWS_1252 if encoding.startswith("utf-8") else "replace"
        super().__init__(cast("BufferedReader", raw), encoding=encoding, errors=errors, newline="")

    def read(self, size: int | None = -1) -> str:
        while True:
            text = super().read(size)
            without = text.replace("\0", "")
            # An empty string means the end.
            if without or not text:
                return without

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        while True:
            text = super().readline(size)
            without = text.replace("\0", "")
            if without or not text:
                return without

    def __next__(self) -> str:  # type: ignore[override]
        if line := self.readline():
            return line
        raise StopIteration
