"""What came back: status and headers at once, the body piece by piece."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nexus.errors import MaxBytesError
from nexus.web.egress.decoding import decoded, decoders_for

WITHOUT_BODY = frozenset({204, 304})


class Headers(Mapping[str, str]):
    """Names in any case; a header that came twice is one value with commas."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._values: dict[str, str] = {}
        for raw_name, raw_value in raw:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1").strip()
            self._values[name] = f"{self._values[name]}, {value}" if name in self._values else value

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Hop(NamedTuple):
    """A redirect on the way: where it was and with which status it sent us on."""

    status: int
    url: str


@dataclass(frozen=True)
class Fetched:
    status: int
    headers: Headers
    url: str
    hops: tuple[Hop, ...]
    body: bytes


@dataclass(frozen=True)
class Response:
    status: int
    headers: Headers
    url: str
    hops: tuple[Hop, ...]
    method: str
    wire_bytes: Iterator[bytes]
    max_bytes: int

    def iter_bytes(self) -> Iterator[bytes]:
        """The decoded body, once, in pieces of at most 64 KiB; an error as soon as it is larger than allowed."""
        if self.method == "HEAD" or self.status in WITHOUT_BODY:
            return
        if self.content_length is not None and self.content_length > self.max_bytes:
            raise self._too_large()
        decoders = decoders_for(self.headers.get("content-encoding", ""))
        size = 0
        # Both sides are counted: padding between compressed frames would be endless bytes that decode to none.
        for piece in decoded(self._counted_wire(), decoders):
            size += len(piece)
            if size > self.max_bytes:
                raise self._too_large()
            yield piece

    @property
    def content_length(self) -> int | None:
        value = self.headers.get("content-length", "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None  # noqa: PLR2004

    def _counted_wire(self) -> Iterator[bytes]:
        size = 0
        for chunk in self.wire_bytes:
            size += len(chunk)
            if size > self.max_bytes:
                raise self._too_large()
            yield chunk

    def _too_large(self) -> MaxBytesError:
        return MaxBytesError(f"The answer is larger than the limit of {self.max_bytes:,} bytes.")
