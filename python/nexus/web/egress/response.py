"""A response: status and headers at once, the body in chunks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nexus.errors import MaxBytesError
from nexus.web.egress.decoding import decoded, decoders_for

WITHOUT_BODY = frozenset({204, 304})


class Headers(Mapping[str, str]):
    """Case-insensitive; a repeated header is one value with commas."""

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
    """One redirect: its status and the URL that sent it."""

    status: int
    url: str


@dataclass(frozen=True)
class FetchedResponse:
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
    raw_bytes: Iterator[bytes]
    max_bytes: int

    def iter_bytes(self) -> Iterator[bytes]:
        """The decoded body, once, in chunks of at most 64 KiB; raises as soon as it is larger than allowed."""
        if self.method == "HEAD" or self.status in WITHOUT_BODY:
            return
        if self.content_length is not None and self.content_length > self.max_bytes:
            raise self._too_large()
        decoders = decoders_for(self.headers.get("content-encoding", ""))
        size = 0
        # Received bytes are counted too: padding between compressed frames can be endless and decode to nothing.
        for chunk in decoded(self._counted_raw_bytes(), decoders):
            size += len(chunk)
            if size > self.max_bytes:
                raise self._too_large()
            yield chunk

    @property
    def content_length(self) -> int | None:
        value = self.headers.get("content-length", "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None  # noqa: PLR2004

    def _counted_raw_bytes(self) -> Iterator[bytes]:
        size = 0
        for chunk in self.raw_bytes:
            size += len(chunk)
            if size > self.max_bytes:
                raise self._too_large()
            yield chunk

    def _too_large(self) -> MaxBytesError:
        return MaxBytesError(f"The response is larger than the limit of {self.max_bytes:,} bytes.")
