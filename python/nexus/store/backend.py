"""What the folder and the bucket have in common: objects under keys, which are there completely or not at all."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

MARKER = "nexus-store.json"  # says that this is a store and whose; without it nothing is written
CHUNK_BYTES = 1 << 20


class StoredObject(NamedTuple):
    sha256: bytes
    size: int
    modified: datetime


class Spool(Protocol):
    """Content on its way into the store; visible to nobody."""

    def write(self, chunk: bytes) -> None: ...


class Backend(Protocol):
    kind: str
    location: str  # for the operator; without credentials
    reserve: int | None  # so many bytes of its disk are never used; None: it has no disk that we know

    def read_marker(self) -> bytes | None:
        """None: there is no marker. StoreUnavailableError: that cannot be determined."""

    def write_marker(self, content: bytes) -> None:
        """Makes the folder where it is missing."""

    def spool(self) -> AbstractContextManager[Spool]:
        """A separate one for each content; what `publish` takes."""

    def size_of(self, sha256: bytes) -> int | None:
        """None: it is missing. What is found survives a power failure."""

    def publish(self, spool: Any, sha256: bytes) -> None:
        """Synced, then visible at once and whole, instead of what was there."""

    def open(self, sha256: bytes, start: int, end: int | None) -> Iterator[bytes]:
        """FileNotFoundError at once; the bytes in chunks."""

    def delete(self, sha256: bytes) -> None:
        """Also when it is not there."""

    def list(self, after: bytes = b"") -> Iterator[StoredObject]:
        """In the order of their hashes, those beyond `after`."""

    def free_bytes(self) -> int | None:
        """None: unknown."""

    def remove_leftovers(self, before: datetime) -> int:
        """Temporary files of writers that were killed."""


def key_of(sha256: bytes) -> str:
    """Two levels: a folder with a million files is slow to list."""
    name = sha256.hex()
    return f"{name[:2]}/{name}"


def sha256_of(folder: str, name: str) -> bytes | None:
    """None: not one of ours."""
    if len(name) != 64 or not name.startswith(folder):  # noqa: PLR2004 - 32 bytes in hexadecimal
        return None
    try:
        found = bytes.fromhex(name)
    except ValueError:
        return None
    return found if found.hex() == name else None
