"""The Range header: which bytes of a file a client asks for."""

import re
from dataclasses import dataclass

from nexus.errors import RangeNotSatisfiableError

# One range. Of several, and of what is malformed, the standard lets a server send the whole file.
ONE_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class ByteRange:
    """``end`` is the first byte that does not belong to it."""

    start: int
    end: int

    def header(self, size: int) -> str:
        return f"bytes {self.start}-{self.end - 1}/{size}"


def requested_range(header: str | None, size: int) -> ByteRange | None:
    """None: the whole file. Raises if the file has none of these bytes."""
    found = ONE_RANGE.fullmatch((header or "").strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        wanted = ByteRange(max(0, size - int(found[2])), size)
    else:
        last = int(found[2]) if found[2] else size - 1
        if last < int(found[1]) and found[2]:
            return None  # malformed
        wanted = ByteRange(int(found[1]), min(size, last + 1))
    if wanted.start >= wanted.end:
        raise RangeNotSatisfiableError(f"The file has {size} bytes; ask for some of them.")
    return wanted
