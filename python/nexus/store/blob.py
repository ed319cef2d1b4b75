from typing import NamedTuple


class Blob(NamedTuple):
    """Bytes in the store, by the hash of them as they are stored."""

    sha256: bytes
    size: int
