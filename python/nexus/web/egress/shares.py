"""Slots that nobody takes all of: each holder counts for some keys (a user, a host), and each key has its share."""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager


class NoSlotError(Exception):
    """None was given within the time."""


def three_quarters_of(slots: int) -> int:
    """At least one; where there are more, one is always left for others."""
    return max(1, slots * 3 // 4)


def half_of(slots: int) -> int:
    return max(1, slots // 2)


class SharedSlots:
    """Given in the order of asking, past those whose share is used up. Safe to call from any thread."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._held: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Mapping[Hashable, int], Future[None]]] = []
        self._guard = threading.Lock()

    def ask(self, shares: Mapping[Hashable, int]) -> Future[None]:
        """Done when the slot is given; then it has to be given back. Cancel it to stop waiting."""
        asked: Future[None] = Future()
        with self._guard:
            self._waiting.append((shares, asked))
            given = self._give()
        _tell(given)
        return asked

    def give_back(self, shares: Mapping[Hashable, int]) -> None:
        with self._guard:
            self._free += 1
            self._held.subtract(shares.keys())
            self._held += Counter()  # forgets those with none
            given = self._give()
        _tell(given)

    @contextmanager
    def hold(self, shares: Mapping[Hashable, int], *, wait_seconds: float) -> Iterator[None]:
        """Raises NoSlotError when none is given within the time."""
        asked = self.ask(shares)
        try:
            asked.result(wait_seconds)
        except TimeoutError as error:
            if asked.cancel():
                raise NoSlotError from error
            # It was given at the last moment.
        try:
            yield
        finally:
            self.give_back(shares)

    def _give(self) -> list[Future[None]]:
        given: list[Future[None]] = []
        still_waiting = []
        for shares, asked in self._waiting:
            if asked.cancelled():
                continue
            may = self._free > 0 and all(self._held[key] < share for key, share in shares.items())
            if not may:
                still_waiting.append((shares, asked))
            elif asked.set_running_or_notify_cancel():
                self._free -= 1
                self._held.update(shares.keys())
                given.append(asked)
        self._waiting = still_waiting
        return given


def _tell(given: list[Future[None]]) -> None:
    # Outside the lock: whoever is told may ask or give back at once.
    for asked in given:
        asked.set_result(None)
