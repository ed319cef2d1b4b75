"""A ZIP that is sent while it is written: no file of it is ever whole in memory."""

import io
from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


class _Sink(io.RawIOBase):
    """Buffers what is written until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, chunk: object, /) -> int:
        held = bytes(chunk)  # type: ignore[call-overload] # whatever is a buffer
        self._chunks.append(held)
        return len(held)

    def take(self) -> bytes:
        held = b"".join(self._chunks)
        self._chunks.clear()
        return held


def zip_files(files: Iterator[tuple[str, Iterator[str]]]) -> Iterator[bytes]:
    """Files as (name, chunks of text). Members have a fixed time, so that the same texts give the same file."""
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:
        for name, chunks in files:
            info = ZipInfo(name)
            info.compress_type = ZIP_DEFLATED
            with archive.open(info, "w") as opened:
                for chunk in chunks:
                    opened.write(chunk.encode())
                    if held := sink.take():
                        yield held
    yield sink.take()
