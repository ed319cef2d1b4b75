"""At most a few requests to one host at a time, and none during a pause that it asked for (Retry-After)."""

import math
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from nexus.errors import FetchTimeoutError, HostBusyError, HostPausedError
from nexus.web.egress.limits import Deadline

MAX_PAUSE_SECONDS = 3600.0
MAX_WAIT_SECONDS = 2.0  # waiting this long is cheaper than a retry later
BUSY_SECONDS = 5.0
PAUSE_STATUSES = frozenset({429, 503})
Host = tuple[str, int]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The header in seconds, given as a number or a date; at most an hour."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), MAX_PAUSE_SECONDS)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), MAX_PAUSE_SECONDS)


class HostPauses:
    """Which hosts asked for a pause, for all requests of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pauses: dict[Host, tuple[float, int]] = {}

    def note(self, host: Host, seconds: float, status: int) -> None:
        now = time.monotonic()
        with self._lock:
            self._pauses = {name: pause for name, pause in self._pauses.items() if pause[0] > now}
            self._pauses[host] = (now + seconds, status)

    def left(self, host: Host) -> tuple[float, int]:
        """The seconds of the pause, and the status of the response that asked for it."""
        with self._lock:
            until, status = self._pauses.get(host, (0.0, 0))
        return until - time.monotonic(), status


class Politeness:
    def __init__(self, per_host: int, *, waits: bool = True) -> None:
        """`waits`: False makes a request that cannot start at once an error."""
        self._per_host = per_host
        self._short_wait = MAX_WAIT_SECONDS if waits else 0.0
        self._waits = waits
        self._changed = threading.Condition()
        self._in_flight: dict[Host, int] = {}
        self.pauses = HostPauses()

    @contextmanager
    def slot(self, host: Host, deadline: Deadline) -> Iterator[None]:
        """Raises if no slot becomes free before the deadline or the host asked for a longer pause."""
        with self._changed:
            self._wait(host, deadline)
            self._in_flight[host] = self._in_flight.get(host, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._in_flight[host] -= 1
                if not self._in_flight[host]:
                    del self._in_flight[host]
                self._changed.notify_all()

    def note_response(self, host: Host, status: int, headers: Mapping[str, str]) -> None:
        seconds = retry_after(headers) if status in PAUSE_STATUSES else None
        if seconds:
            self.pauses.note(host, seconds, status)

    def _wait(self, host: Host, deadline: Deadline) -> None:
        while True:
            pause = self._pause(host, deadline)
            if not pause and self._in_flight.get(host, 0) < self._per_host:
                return
            if not self._waits:
                raise HostBusyError(
                    f"The maximum number of requests to {host[0]} is already running.", retry_after=BUSY_SECONDS
                )
            if deadline.left() <= 0:
                raise FetchTimeoutError(f"Other requests to {host[0]} took too long; try again later.")
            self._changed.wait(pause or deadline.left())

    def _pause(self, host: Host, deadline: Deadline) -> float:
        """Seconds to wait; raises if the pause is long."""
        left, status = self.pauses.left(host)
        if left > self._short_wait or left > deadline.left():
            raise HostPausedError(
                f"{host[0]} asked us to send no requests for {math.ceil(left)} more seconds.",
                http_status=status,
                retry_after=left,
            )
        return max(left, 0.0)
