"""Pauses after tasks that failed, so that one that always fails does not delay the others."""

import time
from typing import Generic, TypeVar

FIRST_PAUSE_SECONDS = 5.0
MAX_PAUSE_SECONDS = 300.0
MAX_FAILURES = 20
FORGET_SECONDS = 3600.0  # entries that never succeed, such as deleted ones

Key = TypeVar("Key")


class Pauses(Generic[Key]):
    """Pauses by key, longer after each failure until one succeeds. For one thread at a time."""

    def __init__(self) -> None:
        self._failures: dict[Key, int] = {}
        self._until: dict[Key, float] = {}

    def active(self) -> list[Key]:
        now = time.monotonic()
        return [key for key, until in self._until.items() if until > now]

    def failed(self, key: Key) -> None:
        self._forget()
        failures = self._failures.get(key, 0)
        self._failures[key] = min(failures + 1, MAX_FAILURES)
        self._until[key] = time.monotonic() + min(FIRST_PAUSE_SECONDS * 2**failures, MAX_PAUSE_SECONDS)

    def succeeded(self, key: Key) -> None:
        self._failures.pop(key, None)
        self._until.pop(key, None)

    def _forget(self) -> None:
        before = time.monotonic() - FORGET_SECONDS
        for key in [key for key, until in self._until.items() if until < before]:
            self.succeeded(key)
