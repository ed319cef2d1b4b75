"""Limits on the rate and the concurrency of requests to a host, shared by all feeds of a run."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from nexus.errors import RunStoppedError


class StopFlag:
    """Set once; interrupts every ``sleep``."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def check(self) -> None:
        if self._event.is_set():
            raise RunStoppedError("The run was stopped.")

    def sleep(self, seconds: float) -> None:
        if self._event.wait(max(0.0, seconds)):
            self.check()


class HostPacing:
    def __init__(self, stop: StopFlag) -> None:
        self._stop = stop
        self._changed = threading.Condition()
        self._next_request_at: dict[str, float] = defaultdict(float)
        self._in_progress: dict[str, int] = defaultdict(int)

    @contextmanager
    def turn(self, host: str, *, interval_ms: int, max_concurrent: int) -> Iterator[None]:
        """Waits until a request may be sent. The limits are those of the feed, the state is shared by host."""
        self._acquire_slot(host, max_concurrent)
        try:
            self._wait_for_interval(host, interval_ms / 1000)
            yield
        finally:
            with self._changed:
                self._in_progress[host] -= 1
                self._changed.notify_all()

    def _acquire_slot(self, host: str, max_concurrent: int) -> None:
        with self._changed:
            while max_concurrent and self._in_progress[host] >= max_concurrent:
                self._stop.check()
                self._changed.wait(0.2)  # the stop flag does not notify this condition
            self._in_progress[host] += 1

    def _wait_for_interval(self, host: str, interval: float) -> None:
        with self._changed:
            now = time.monotonic()
            start = max(now, self._next_request_at[host])
            self._next_request_at[host] = start + interval
        self._stop.sleep(start - now)
