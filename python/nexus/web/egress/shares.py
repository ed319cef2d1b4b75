"""A limited number of slots, shared fairly: each holder counts for some keys (a user, a host) with a limit each."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class NoSlotError(Exception):
    """No slot became free in time."""


def three_quarters_of(slots: int) -> int:
    """At least one, and less than all if there are several."""
    return max(1, slots * 3 // 4)


def half_of(slots: int) -> int:
    return max(1, slots // 2)


class SharedSlots:
    """Granted first come, first served, passing over requests whose share is used up. Thread-safe."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._held: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Mapping[Hashable, int], Future[None]]] = []
        self._lock = threading.Lock()

    def request(self, shares: Mapping[Hashable, int]) -> Future[None]:
        """Done when the slot is granted, which must then be released. Cancel it to stop waiting."""
        pending: Future[None] = Future()
        with self._lock:
            self._waiting.append((shares, pending))
            granted = self._grant()
        _notify(granted)
        return pending

    def release(self, shares: Mapping[Hashable, int]) -> None:
        with self._lock:
            self._free += 1
            self._held.subtract(shares.keys())
            self._held += Counter()  # drops zero counts
            granted = self._grant()
        _notify(granted)

    @contextmanager
    def hold(self, shares: Mapping[Hashable, int], *, wait_seconds: float) -> Iterator[None]:
        """Raises NoSlotError when none is granted within the time."""
        pending = self.request(shares)
        try:
            pending.result(wait_seconds)
        except TimeoutError as error:
            if pending.cancel():
                raise NoSlotError from error
            # The slot was granted in the meantime.
        try:
            yield
        finally:
            self.release(shares)

    async def submit(self, threads: Executor, shares: Mapping[Hashable, int], work: Callable[[], T]) -> Future[T]:
        """Waits for a slot without a thread. The slot is held until the work ends, even if it is no longer awaited."""
        slot = self.request(shares)
        try:
            await asyncio.wrap_future(slot)
        except asyncio.CancelledError:
            if not slot.cancelled():  # it was granted at the moment of the cancellation
                self.release(shares)
            raise
        try:
            future = threads.submit(work)
        except BaseException:
            self.release(shares)
            raise
        future.add_done_callback(lambda _: self.release(shares))
        return future

    def _grant(self) -> list[Future[None]]:
        granted: list[Future[None]] = []
        waiting = []
        for shares, pending in self._waiting:
            if pending.cancelled():
                continue
            available = self._free > 0 and all(self._held[key] < share for key, share in shares.items())
            if not available:
                waiting.append((shares, pending))
            elif pending.set_running_or_notify_cancel():
                self._free -= 1
                self._held.update(shares.keys())
                granted.append(pending)
        self._waiting = waiting
        return granted


def _notify(granted: list[Future[None]]) -> None:
    # Outside the lock: callbacks may request or release slots.
    for pending in granted:
        pending.set_result(None)
