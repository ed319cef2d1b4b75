"""How often and by how many at once a host is asked; shared by all feeds of a run."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from nexus.errors import RunStoppedError


class Stop:
    """Told once, noticed by everybody who waits."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        if self._event.is_set():
            raise RunStoppedError("The run was stopped.")

    def sleep(self, seconds: float) -> None:
        if self._event.wait(max(0.0, seconds)):
            self.check()


class HostPacing:
    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._changed = threading.Condition()
        self._next_turn: dict[str, float] = defaultdict(float)
        self._under_way: dict[str, int] = defaultdict(int)

    @contextmanager
    def turn(self, host: str, *, interval_ms: int, at_once: int) -> Iterator[None]:
        """A place at the host. Each feed brings its own bounds; the clock and the count are the host's."""
        self._take_place(host, at_once)
        try:
            self._await_turn(host, interval_ms / 1000)
            yield
        finally:
            with self._changed:
                self._under_way[host] -= 1
                self._changed.notify_all()

    def _take_place(self, host: str, at_once: int) -> None:
        with self._changed:
            while at_once and self._under_way[host] >= at_once:
                self._stop.check()
                self._changed.wait(0.2)  # a stop rings no bell here
            self._under_way[host] += 1

    def _await_turn(self, host: str, interval: float) -> None:
        with self._changed:
            now = time.monotonic()
            mine = max(now, self._next_turn[host])
            self._next_turn[host] = mine + interval
        self._stop.sleep(mine - now)
