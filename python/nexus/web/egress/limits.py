"""Limits on the bytes and time of one request."""

import time
from dataclasses import dataclass

from nexus.errors import FetchTimeoutError


@dataclass(frozen=True)
class Limits:
    max_bytes: int = 2_000_000  # of the decoded body, and of the bytes received
    connect_seconds: float = 5
    read_seconds: float = 20
    total_seconds: float = 60  # from the DNS look-up to the last byte, with redirects
    max_redirects: int = 10


class Deadline:
    """The time limit of a whole request. A time-out per read is not enough: a byte every 19 s never exceeds it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds

    def left(self) -> float:
        return self._ends - time.monotonic()

    def bounded(self, seconds: float | None) -> float:
        """At most the time left; raises when there is none."""
        left = self.left()
        if left <= 0:
            raise self.expired()
        return left if seconds is None else min(left, seconds)

    def expired(self) -> FetchTimeoutError:
        return FetchTimeoutError(f"The site did not finish its response within {self.seconds:g} seconds.")
